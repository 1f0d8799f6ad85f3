/** Random words among random records, compared with what a second implementation finds in memory. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Page, Stored } from '../kit/records.ts';
import { isLong } from '../kit/sample.ts';
import { seeded } from '../kit/seeded.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';
import { type Findable, finds, wordsIn } from '../search/finder.ts';

/** `FINDING_RUNS=10000` looks longer. */
const runs = Number(process.env['FINDING_RUNS'] ?? (isLong ? 200 : 50));
const seed = Number(process.env['FINDING_SEED'] ?? Date.now() % 1e6);

const syllables =
  'an Ana jo João são sil Silva ão ção gon çal ves lı ŁÓ dź ß ss æ Ae Ｗｉ ﬁ øy Đô σς ΣΑ Гон чар Ёл мария عَم مح 김 철 田中 だ が 12 3 45 119 % _ \\ - . @ é e\u0301 İ I i'.split(
    ' ',
  );

const service = await sharedService();
const w = await world(service);
const contacts: Findable[] = [];
const deals: Findable[] = [];
const below = seeded(seed);
const random = () => below(1_000_000) / 1_000_000;
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const word = () =>
  Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(syllables)).join('');
const text = (max: number) =>
  Array.from({ length: 1 + Math.floor(random() * max) }, word).join(pick([' ', ' ', '\u3000']));

beforeAll(async () => {
  const records = Array.from({ length: 300 }, () => ({
    full_name: text(3),
    label_list: random() < 0.3 ? [text(2).replaceAll(',', '')] : [],
  }));
  const made = await w.rest.post<{ results: { id: number }[] }>('/contacts/batch', {
    operation: 'create',
    records,
  });
  expect(made).toAnswer(200);
  records.forEach(({ full_name, label_list }, at) => {
    const id = made.body.results[at]?.id ?? 0;
    contacts.push({ id, fields: [full_name, ...label_list] });
  });
  const offers = Array.from({ length: 150 }, () => ({
    name: text(2),
    contact_id: pick(contacts).id,
    stage_id: w.stageIds[0],
  }));
  const opened = await w.rest.post<{ results: { id: number }[] }>('/deals/batch', {
    operation: 'create',
    records: offers,
  });
  expect(opened).toAnswer(200);
  offers.forEach(({ name, contact_id }, at) => {
    const id = opened.body.results[at]?.id ?? 0;
    const contact = contacts.find((one) => one.id === contact_id)?.fields[0] ?? '';
    deals.push({ id, fields: [contact, name] });
  });
}, 60_000);

/** Parts of what is there, in another order, or anything. */
function typed(): string {
  const words = pick([...contacts, ...deals])
    .fields.join(' ')
    .split(/[ \u3000]+/);
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    if (random() < 0.15) return word();
    const letters = [...pick(words)];
    const from = random() < 0.5 ? 0 : Math.floor(random() * letters.length);
    const part = letters.slice(from, from + 1 + Math.floor(random() * 5)).join('');
    return random() < 0.3 ? part.toUpperCase() : part;
  }).join(' ');
}

test(`q finds what a second implementation finds, in its order (seed ${seed})`, async () => {
  for (let run = 0; run < runs; run++) {
    const [kind, records] = pick([
      ['contacts', contacts],
      ['deals', deals],
    ] as const);
    const q = typed();
    const expected = finds(q, records);
    // A blank one asks for everything, and what is similar is another matter.
    if (wordsIn(q).length === 0 || expected.length === 0) continue;
    const { body } = await w.rest.post<Page<Stored>>(`/${kind}/search`, {
      query: { q },
      per_page: 100,
    });
    const ids = body.data?.map(({ id }) => id);
    expect({ kind, q, ids }).toEqual({ kind, q, ids: expected.slice(0, 100) });
    expect(body.pagination.count).toBe(expected.length);
    const { body: best } = await w.rest.get<Record<string, Stored[]>>(
      `/find?q=${encodeURIComponent(q)}&limit=7`,
    );
    expect({ kind, q, ids: best[kind]?.map(({ id }) => id) }).toEqual({
      kind,
      q,
      ids: expected.slice(0, 7),
    });
  }
}, 600_000);
