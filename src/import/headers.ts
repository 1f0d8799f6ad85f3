/**
 * What people call a column, in English, Portuguese, Spanish and German. Of several columns that might
 * be one thing, the one whose name stands first here is it.
 */
import type { Importable } from './targets.ts';

const list =
  'first name, firstname, person first name, given name, forename, primeiro nome, nombre de pila, primer nombre, vorname';
const family =
  'last name, lastname, person last name, surname, family name, sobrenome, ultimo nome, apellidos, apellido, nachname, familienname';
const person =
  'full name, fullname, name, contact name, person name, display name, contact, nome completo, nome, nome do contato, contato, cliente, ' +
  'nombre completo, nombre, nombre del contacto, contacto, vollstandiger name, kontaktname, kontakt, ' +
  'kunde, customer, client, person, pessoa, persona';
const email =
  'email, e mail, email address, e mail address, e mail 1 value, person email, person email work, ' +
  'person email home, person email other, primary email, mail, endereco de email, endereco de e mail, ' +
  'correo electronico, correo, direccion de correo, e mail adresse, email adresse, mailadresse';
const phone =
  'phone, phone number, phone 1 value, mobile phone, mobilephone, person phone, person phone mobile, ' +
  'person phone work, person phone home, person phone other, primary phone, business phone, home phone, ' +
  'mobile, mobile number, cell phone, cell, telephone, whatsapp, ' +
  'telefone, celular, numero de telefone, telefono, telefono movil, movil, numero de telefono, ' +
  'telefon, telefonnummer, handy, handynummer, mobil, mobiltelefon, mobilnummer, rufnummer, tel, fone, fon';
/** Those of whom a deal or an order is for. */
const customerEmail =
  'contact email, contact e mail, customer email, email do contato, e mail do contato, contato e mail, email do cliente, ' +
  'e mail do cliente, cliente e mail, correo del contacto, correo del cliente, e mail des kontakts, e mail des kunden, kunden e mail';
const customerPhone =
  'contact phone, customer phone, telefone do contato, contato telefone, telefone do cliente, cliente telefone, ' +
  'telefono del contacto, telefono del cliente, telefon des kontakts, telefon des kunden';
const created =
  'created at, created, created on, created date, creation date, create date, date created, ' +
  'criado em, data de criacao, data de cadastro, creado el, creado en, fecha de creacion, ' +
  'erstellt am, erstellt, erstellungsdatum, angelegt am';
const attributes =
  'custom attributes, custom fields, atributos personalizados, benutzerdefinierte felder';
const product =
  'product, product name, produto, nome do produto, producto, nombre del producto, produkt, produktname';
const productCode =
  'sku, product code, codigo do produto, cod produto, codigo de producto, artikelnummer, artikel nr, art nr, ' +
  'produktnummer';
const code = `${productCode}, identifier, code, codigo, referencia, ref`;
const unitPrice =
  'unit price, sales price, preco unitario, preco unit, valor unitario, vlr unitario, precio unitario, einzelpreis, stuckpreis';
const price = `${unitPrice}, price, amount, preco, valor, precio, preis, betrag`;
const quantity =
  'quantity, qty, units, quantidade, qtd, qtde, cantidad, cant, menge, anzahl, stuck';
const deal =
  'deal name, deal, opportunity name, opportunity, nome do negocio, negocio, oportunidade, negociacao, ' +
  'nombre del negocio, nombre del trato, trato, oportunidad, dealname, geschaft, verkaufschance';

/** Names of columns by target, plain as {@link plainName} makes them. */
export const headers: Readonly<Record<Importable, Readonly<Record<string, string>>>> = {
  contacts: {
    first_name: list,
    full_name: person,
    last_name: family,
    email: `${email}, ${customerEmail}`,
    phone: `${phone}, ${customerPhone}`,
    label_list:
      'label list, labels, label, categories, group membership, person labels, person label, tags, tag, etiquetas, etiqueta, marcadores, marcador, rotulos, ' +
      'schlagworte, schlagworter, stichworte, stichworter, kategorien',
    custom_attributes: attributes,
    created_at: created,
  },
  deals: {
    name: `${deal}, title, name, titulo, nome, nombre, titel`,
    status: 'status, deal status, situacao, estado',
    'stage.name':
      'stage, stage name, deal stage, etapa, estagio, fase, etapa del negocio, fase del trato, phase, stufe',
    'pipeline.name':
      'pipeline, pipeline name, funil, funil de vendas, embudo, embudo de ventas, funnel',
    'contact.email': `${customerEmail}, ${email}`,
    'contact.phone': `${customerPhone}, ${phone}`,
    'contact.full_name':
      'contact full name, contact name, contact, person, customer, client, nome do contato, contato, ' +
      'cliente, pessoa, nombre del contacto, contacto, persona, kontaktname, kontakt, kunde',
    lost_reason:
      'lost reason, loss reason, motivo da perda, motivo de perda, motivo de perdida, motivo, verlustgrund',
    won_at:
      'won at, won on, won date, ganho em, data de ganho, ganado el, fecha de ganado, gewonnen am',
    lost_at:
      'lost at, lost on, lost date, perdido em, data de perda, perdido el, fecha de perdida, verloren am',
    // What may be the deal's own, such as a code or an amount, is not taken for that of its product.
    'product.identifier': productCode,
    'product.name': product,
    quantity,
    unit_amount: unitPrice,
    custom_attributes: attributes,
    created_at: created,
  },
  products: {
    identifier: code,
    name: `${product}, name, title, nome, nombre, artikel, bezeichnung`,
    description: 'description, descricao, descripcion, beschreibung',
    amount: price,
    quantity_available:
      'quantity available, stock, inventory, quantity, estoque, quantidade, existencias, cantidad, ' +
      'lagerbestand, bestand, menge',
    custom_attributes: attributes,
    created_at: created,
  },
  deal_products: {
    'product.identifier': code,
    'product.name': product,
    'deal.name': deal,
    quantity,
    unit_amount: price,
    created_at: created,
  },
  events: {
    kind: 'kind, type, tipo, art, typ',
    title: 'title, subject, titulo, assunto, asunto, titel, betreff',
    content:
      'content, note, notes, text, body, nota, notas, anotacao, conteudo, texto, contenido, notiz, notizen, inhalt',
    scheduled_at:
      'scheduled at, due date, due, date, agendado para, vencimento, data, programado para, fecha, ' +
      'fallig am, termin, datum',
    done: 'done, completed, concluido, feito, hecho, completado, erledigt',
    done_at: 'done at, completed at, concluido em, completado el, erledigt am',
    'contact.email': `${customerEmail}, ${email}`,
    'contact.phone': `${customerPhone}, ${phone}`,
    'deal.name': deal,
    custom_attributes: attributes,
    created_at: created,
  },
};

/** A name without case, accents and signs: `E-Mail-Adresse` and `e_mail adresse` are one. */
export const plainName = (header: string): string =>
  // Marks that the header has itself go first: to order many of them takes a time that grows with their square.
  withoutMarks(withoutMarks(header).normalize('NFD'))
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

function withoutMarks(text: string): string {
  return text.replace(/\p{M}/gu, '');
}
