/** Accounts full of people with names as people have them, and what others type to find these. */
import { openDatabase } from '../../src/db/open.ts';
import { raw } from '../../src/db/sql/sql.ts';
import type { TestDatabase } from '../kit/database.ts';
import { seeded } from '../kit/seeded.ts';
import type { World } from '../kit/world.ts';
import { mistyped, plainly } from '../search/mistyped.ts';
import { growingMs, unindexed } from './million.ts';

/** The most common first: of so many people, one in ten has the first of a list, and few its last. */
const names = {
  given:
    'Maria José Ana João Antônio Francisco Carlos Paulo Pedro Lucas Luiz Marcos Luís Gabriel Rafael Daniel Marcelo Bruno Eduardo Felipe Adriana Juliana Márcia Fernanda Patrícia Aline Sandra Camila Amanda Bruna Jéssica Letícia Júlia Luciana Vanessa Mariana Gabriela Vera Vitória Larissa Cláudia Beatriz Rita Luana Sônia Renata Eliane Josefa Simone Natália Cristiane Carla Débora Rosângela Jaqueline Rosa Daniela Aparecida Marlene Terezinha Raimunda Andréia Fabiana Lúcia Raquel Ângela Rafaela Joana Luzia Elaine Daniele Regina Sérgio Jorge Rodrigo Fernando Mateus Leonardo Tiago Gustavo André Vinícius Ricardo Alexandre Diego Roberto Fábio Anderson Leandro Guilherme Cauã Otávio Célia Inês Graça Conceição Sebastião Estevão Íris Zoé Yara',
  family:
    'Silva Santos Oliveira Souza Rodrigues Ferreira Alves Pereira Lima Gomes Costa Ribeiro Martins Carvalho Almeida Lopes Soares Fernandes Vieira Barbosa Rocha Dias Nascimento Andrade Moreira Nunes Marques Machado Mendes Freitas Cardoso Ramos Gonçalves Santana Teixeira Araújo Pinto Correia Moura Cavalcanti Monteiro Batista Campos Melo Borges Reis Castro Peixoto Azevedo Cunha Brandão Guimarães Magalhães Antunes Figueiredo Leitão Brito Assunção Pacheco Sá Müller Schmidt Rossi Bianchi Nakamura Kowalski',
  domain:
    'gmail.com hotmail.com outlook.com yahoo.com.br uol.com.br icloud.com terra.com.br live.com',
  label: 'cliente vip lead parceiro região_sul fornecedor evento newsletter',
  deal: 'Renovação Proposta Contrato Projeto Licença Consultoria Manutenção Pedido',
};

/** Given and family names of other languages, each of which a few in a hundred have. */
const elsewhere: readonly (readonly [given: string, family: string])[] = [
  [
    'Jürgen Zoë Łukasz Søren Işık Renée Márta Nguyễn Bjørn Siân',
    'Großmann Wiśniewski Kierkegård Yıldırım Lefèvre Szűcs Thị_Hương Ångström Weiß Dvořák',
  ],
  [
    'Мария Алексей Ольга Дмитрий Тарас Елена Сергей Ярослава',
    'Иванова Соловьёв Кузнецова Йорданов Шевченко Лебедев Ковальчук',
  ],
  ['Γιώργος Ελένη Κώστας Μαρία Σοφία Νίκος', 'Παπαδόπουλος Δημητρίου Νικολαΐδης Αλεξίου Οικονόμου'],
  ['محمد فاطمة يوسف مريم خديجة إبراهيم', 'العلوي الحسيني المنصوري البغدادي الشرقاوي'],
  ['राजेश सुनीता अमित प्रियंका विजय', 'शर्मा अग्रवाल चतुर्वेदी त्रिपाठी सिंह'],
  ['김 이 박 최 정', '철수 영희 지성 민호 수빈'],
  ['王 李 張 陳 歐陽', '小明 秀英 偉強 美玲 修文'],
  ['たなか すずき サトウ ワタナベ', 'たろう ハナコ けんいち さくら'],
];

const list = (text: string) => `(ARRAY['${text.replaceAll(' ', "','").replaceAll('_', ' ')}'])`;
const size = (text: string) => text.split(' ').length;

/** A number from 0 to 1 that a row always has and that follows no order. */
const chance = (salt: number) => `((hashint8(i * 64 + ${salt}) & 2147483647) / 2147483648.0)`;

/** One of a list's, the first of them the most often. */
const one = (text: string, salt: number) =>
  `${list(text)}[1 + floor(${size(text)} * power(${chance(salt)}, 2))::integer]`;

/** Four syllables: a name that few share. */
const rare = `(SELECT initcap(string_agg(substr('bcdfghjklmnpqrstvwxz', 1 + get_byte(h, 2 * at) % 20, 1)
    || substr('aeiou', 1 + get_byte(h, 2 * at + 1) % 5, 1), '')) FROM decode(md5((i / 3)::text), 'hex') AS h, generate_series(0, 3) AS at)`;

const person = `CASE
  WHEN ${chance(1)} < 0.8 THEN ${one(names.given, 2)}
    || CASE WHEN ${chance(3)} < 0.3 THEN ' ' || ${one(names.given, 4)} ELSE '' END
    || CASE WHEN ${chance(5)} < 0.4 THEN ' ' || ${one(names.family, 6)} WHEN ${chance(5)} < 0.5 THEN ' da' ELSE '' END
    || ' ' || CASE WHEN ${chance(7)} < 0.25 THEN ${rare} ELSE ${one(names.family, 8)} END
  ${elsewhere.map(([given, family], at) => `WHEN ${chance(9)} < ${(at + 1) / elsewhere.length} THEN ${one(given, 10)} || ' ' || ${one(family, 11)}`).join('\n')}
END`;

const address = `CASE WHEN ${chance(12)} < 0.9 THEN translate(fold_text_1(split_part(name, ' ', 1)), ' ', '') || '.' || i || '@'
  || CASE WHEN ${chance(13)} < 0.6 THEN ${one(names.domain, 14)} ELSE lower(${rare}) || '.com.br' END ELSE '' END`;

const phone = `CASE WHEN ${chance(15)} < 0.85 THEN '+55' || 11 + i % 80 || 9 || lpad((i * 7919 % 99999989)::text, 8, '0') ELSE '' END`;

const labels = `CASE WHEN ${chance(16)} < 0.5 THEN ARRAY[${one(names.label, 17)}] ELSE '{}' END`;

const time = `timestamptz '2023-01-01' + i * 7919 % 1576800 * interval '1 minute'`;

/** Accounts in which each contact follows from the number `i`; a contact in five has a deal. */
interface Crowd {
  readonly contacts: number;
  /** That of the contact `i`, in SQL. */
  readonly account: string;
  /** Condition on the ids of all of them. */
  readonly accounts: string;
}

const statements = ({ contacts, account, accounts }: Crowd) => [
  `INSERT INTO contacts (account_id, full_name, email, phone, label_list, custom_attributes, created_at)
    SELECT ${account}, name, ${address}, ${phone}, ${labels}, json_build_object('score', i % 100), ${time}
    FROM (SELECT i, ${person} AS name FROM generate_series(1, ${contacts}::bigint) AS i OFFSET 0) AS people`,
  `INSERT INTO deals (account_id, contact_id, pipeline_id, stage_id, created_by_id, name, rank)
    SELECT account_id, id, pipeline_id, stage_id, user_id, ${one(names.deal, 18)} || ' ' || ${rare}, i
    FROM (SELECT account_id, id, id AS i FROM contacts WHERE id % 5 = 0 AND account_id ${accounts}) AS of
    JOIN (SELECT account_id, min(pipeline_id) AS pipeline_id, min(id) AS stage_id FROM stages GROUP BY account_id) AS first USING (account_id)
    JOIN (SELECT account_id, min(id) AS user_id FROM users GROUP BY account_id) AS seller USING (account_id)`,
];

/** Accounts with one user, a pipeline and a stage. */
const foundation = (accounts: number) => `WITH made AS (
    INSERT INTO accounts (name) SELECT 'Small ' || i FROM generate_series(1, ${accounts}) AS i RETURNING id
  ), people AS (
    INSERT INTO users (account_id, email, role) SELECT id, 'admin' || id || '@example.com', 'admin' FROM made
  ), ways AS (
    INSERT INTO pipelines (account_id, name) SELECT id, 'Sales' FROM made RETURNING id, account_id
  ) INSERT INTO stages (account_id, pipeline_id, name, position) SELECT account_id, id, 'New', 1 FROM ways`;

/**
 * Fills an account with contacts, and beside it many small ones.
 * @param few accounts that are among the small ones, made one right after the other
 */
export async function fill(
  database: TestDatabase,
  large: { readonly account: World; readonly contacts: number },
  small: { readonly few: readonly World[]; readonly accounts: number; readonly contacts: number },
): Promise<void> {
  const [first] = small.few;
  if (!first) throw new Error('no account is small');
  const db = await openDatabase({ url: database.url, statementTimeoutMs: growingMs });
  const run = (text: string) => db.query(raw(text));
  await run("ALTER SYSTEM SET maintenance_work_mem = '1GB'");
  await run("ALTER SYSTEM SET max_wal_size = '8GB'");
  await run('SELECT pg_reload_conf()');
  await run(foundation(small.accounts - small.few.length));
  const rest = { first: first.accountId, accounts: small.accounts };
  await unindexed(db, async () => {
    const crowds: readonly Crowd[] = [
      {
        contacts: large.contacts,
        account: String(large.account.accountId),
        accounts: `= ${large.account.accountId}`,
      },
      {
        contacts: small.accounts * small.contacts,
        account: `${rest.first} + i % ${rest.accounts}`,
        accounts: `>= ${rest.first}`,
      },
    ];
    // References are right by construction: to check them takes longer than to write the rows.
    for (const table of ['contacts', 'deals']) {
      await run(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
      await run(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
    }
    for (const text of crowds.flatMap(statements)) await run(text);
    for (const table of ['contacts', 'deals']) await run(`ALTER TABLE ${table} ENABLE TRIGGER ALL`);
  });
  await db.close();
}

/** What is typed in an account, each once. */
export interface Typed {
  /** Two words that are there together. */
  readonly two: readonly string[];
  /** Beginnings, words that many or few have, numbers and addresses. */
  readonly anything: readonly string[];
  /** With an error, or not there. */
  readonly wrong: readonly string[];
}

type Below = (limit: number) => number;

const word = (below: Below) =>
  Array.from(
    { length: 4 },
    () => 'bcdfghjklmnpqrstvwxz'.charAt(below(20)) + 'aeiou'.charAt(below(5)),
  ).join('');

interface Known {
  readonly given: string;
  readonly family: string;
  readonly email: string;
  readonly phone: string;
  readonly label: string;
}

type Writing = (known: Known, below: Below) => string;

const writings: Readonly<Record<keyof Typed, readonly Writing[]>> = {
  two: [
    ({ given, family }) => `${given} ${family}`,
    ({ given, family }) => `${family} ${given}`,
    ({ given, family }) => `${given} ${[...family].slice(0, 4).join('')}`,
    ({ given, label }) => (label === '' ? '' : `${given} ${label}`),
  ],
  anything: [
    ({ given, family }) => `${given} ${family}`,
    ({ family }) => family,
    ({ given }) => given,
    ({ given, family }, below) =>
      [...`${given} ${family}`]
        .slice(0, 1 + below(10))
        .join('')
        .trim(),
    ({ family }, below) => [...family].slice(0, 1 + below(6)).join(''),
    ({ phone }) => phone.replace(/^\+55(..)(.{5})(.*)$/, '($1) $2-$3'),
    ({ email }) => email,
  ],
  wrong: [
    ({ given, family }, below) => mistyped(`${given} ${family}`, below),
    ({ family }, below) => (family.length < 4 ? '' : mistyped(family, below)),
    ({ given, family }, below) => `${given} ${mistyped(family, below)}`,
    ({ given }, below) => `${given} ${word(below)}`,
    (_, below) => `${word(below)} ${word(below)}`,
  ],
};

/** What people type who look for some of an account's contacts. */
export async function typedIn(
  { service: { database }, accountId }: World,
  count: number,
): Promise<Typed> {
  const below = seeded(accountId);
  const rows = await database.query<Record<'full_name' | 'email' | 'phone' | 'label', string>>(
    `SELECT full_name, email, phone, coalesce(label_list[1], '') AS label FROM contacts
     WHERE account_id = $1 ORDER BY hashint8(id) LIMIT $2`,
    [accountId, 3 * count],
  );
  const known = rows.map(({ full_name, ...others }): Known => {
    const words = plainly(full_name).split(' ');
    return { ...others, given: words[0] ?? '', family: words.at(-1) ?? '' };
  });
  const of = (ways: readonly Writing[]): readonly string[] => {
    const texts = new Set(known.map((one, at) => ways[at % ways.length]?.(one, below) ?? ''));
    texts.delete('');
    return [...texts].slice(0, count);
  };
  return { two: of(writings.two), anything: of(writings.anything), wrong: of(writings.wrong) };
}
