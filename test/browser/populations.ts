/** What accounts hold whose pages are looked at: what people usually write, and what somebody might. */
import { expect } from '@jest/globals';
import type { Contact } from '../kit/records.ts';
import type { Body } from '../kit/rest.ts';
import type { World } from '../kit/world.ts';

/** A record of each kind that has a page of its own. */
export interface Shown {
  readonly contacts: number;
  readonly deals: number;
  readonly users: number;
  readonly webhooks: number;
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

async function post(account: World, path: string, body: Body): Promise<number> {
  const answer = await account.rest.post<{ id: number }>(path, body);
  expect(answer).toAnswer(201);
  return answer.body.id;
}

/** What a small team has after some weeks. */
export async function fillOrdinarily(account: World): Promise<Shown> {
  await account.rest.put('', { currency: 'BRL', time_zone: 'America/Sao_Paulo' });
  const [stage] = account.stageIds;
  await account.rest.put(`/stages/${stage}`, { name: 'Qualificação', rests_after_days: 1 });
  const names = ['Ana Lima', 'Ana Lima', 'Gabriela Mendes de Albuquerque', 'Jürgen Groß'];
  const contacts: Contact[] = [];
  for (const [at, full_name] of names.entries()) {
    const email = `contact.${at}@example.com`;
    const phone = `+5541988434${at}69`;
    contacts.push(
      await account.contact({ full_name, email, phone, label_list: ['vip', 'partner'] }),
    );
  }
  const product = await account.product({
    name: 'Professional plan',
    identifier: 'PRO',
    description: 'All of it, for a year, as in the list of prices',
    amount_in_cents: 199_900,
    quantity_available: 1000,
  });
  const deals: number[] = [];
  for (const [at, { id }] of contacts.entries()) {
    const deal = await account.deal({
      name: `Mercado Central: ${at + 1} offices`,
      contact_id: id,
      status: at === 3 ? 'won' : 'open',
      custom_attributes: { source: 'fair' },
    });
    deals.push(deal.id);
    await account.dealProduct({ deal_id: deal.id, product_id: product.id, quantity: 20 * at + 1 });
    await post(account, '/deal_assignees', { deal_id: deal.id, user_id: account.member.id });
    for (const hours of [-30, 3, 60]) {
      await post(account, `/deals/${deal.id}/events`, {
        kind: 'activity',
        title: 'Call back',
        scheduled_at: inHours(hours),
      });
    }
    await post(account, `/deals/${deal.id}/events`, { kind: 'note', content: 'Likes the board.' });
  }
  const gone = await account.product({ name: 'Leaflet', identifier: 'LEAFLET' });
  await account.rest.delete(`/products/${gone.id}`);
  return {
    contacts: contacts[0]?.id ?? 0,
    deals: deals[0] ?? 0,
    users: account.member.id,
    webhooks: (await account.webhook({ description: 'Shop' })).id,
  };
}

const word = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const address = `https://example.com/${'a'.repeat(200)}`;
const texts = [
  `<script>document.title = ''</script> & "quotes" \`ticks\` {{7*7}}`,
  'W'.repeat(120),
  `${word} ${word}`,
  'مرحبا بالعالم هذا نص طويل من اليمين إلى اليسار',
  '😀👨‍👩‍👧‍👦🏳️‍🌈'.repeat(9),
  '\u202eevil\u202c',
  address,
  '0',
] as const;

/** What is longer than anybody thinks, of other scripts, or looks like code; and amounts of eleven digits. */
export async function fillWithExtremes(account: World): Promise<Shown> {
  await account.rest.put('', { name: `Müller & Söhne ${word}`, currency: 'EUR' });
  const [stage] = account.stageIds;
  for (const [at, id] of account.stageIds.entries()) {
    await account.rest.put(`/stages/${id}`, { name: texts[at], rests_after_days: 3650 });
  }
  await account.rest.put(`/pipelines/${account.pipelineId}`, { name: texts[2] });
  const user = await account.user({ full_name: texts[1] });
  const shown: Pick<Shown, 'contacts' | 'deals'>[] = [];
  for (const [at, text] of texts.entries()) {
    const contact = await account.contact({
      full_name: text,
      email: `${'e'.repeat(60)}${at}@${'x'.repeat(60)}.example.com`,
      phone: `+554198843486${at}`,
      label_list: [word, ...Array.from({ length: 42 }, (_, label) => `label ${label}`)],
      custom_attributes: {
        [word]: address,
        list: Array.from({ length: 30 }, () => ({ deep: {} })),
      },
    });
    const product = await account.product({
      name: text,
      identifier: `${'I'.repeat(80)}${at}`,
      description: `${address} ${address}`,
      amount_in_cents: 1_234_567_890_123,
      quantity_available: 2_000_000_000,
    });
    const deal = await account.deal({
      name: text,
      contact_id: contact.id,
      stage_id: stage,
      custom_attributes: { [word]: address },
    });
    await account.dealProduct({ deal_id: deal.id, product_id: product.id, quantity: 100 });
    await post(account, '/deal_assignees', { deal_id: deal.id, user_id: user.id });
    for (const fields of [
      { kind: 'activity', title: text, scheduled_at: inHours(at - 3) },
      { kind: 'note', title: text, content: `${address} ${address}\n\n\n${text}` },
    ]) {
      await post(account, `/deals/${deal.id}/events`, fields);
    }
    shown.push({ contacts: contact.id, deals: deal.id });
  }
  const gone = await account.contact({ full_name: word });
  await account.rest.delete(`/contacts/${gone.id}`);
  const twin = { full_name: `${word} ${word}`, custom_attributes: { [word]: address } };
  for (const email of ['one@example.com', 'two@example.com']) {
    await account.contact({ ...twin, email });
  }
  const [first = { contacts: 0, deals: 0 }] = shown;
  const webhook = await account.webhook({ url: `${address}?`, description: texts[2] });
  return { ...first, users: user.id, webhooks: webhook.id };
}
