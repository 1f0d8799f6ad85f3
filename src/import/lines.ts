/** The product that the row of a deal may bring with it: a record of its own, written once the deal has an id. */
import type { Row } from '../csv/read.ts';
import type { Draft, FieldMessages, Fields } from './draft.ts';
import {
  type LinePart,
  ofLine,
  type Part,
  type PartResult,
  type RowRefusal,
  withRefused,
} from './part.ts';
import type { Result, Service } from './service.ts';
import { descriptions, type Importable } from './targets.ts';

/** Of how many deals one request asks for the lines. */
const maxAsked = 100;

/** Parts what a row says of its record from what it says of a line, null where that is nothing. */
export function ownAndLine(
  records: Importable,
  fields: Fields,
): { readonly own: Fields; readonly line: Fields | null } {
  const { line } = descriptions[records];
  if (!line) return { own: fields, line: null };
  const isOfLine = ([name]: readonly [string, unknown]) =>
    name === 'product_id' || Object.hasOwn(line.fields, name);
  const all = Object.entries(fields);
  const own = all.filter((entry) => !isOfLine(entry));
  return {
    own: Object.fromEntries(own),
    line: own.length < all.length ? Object.fromEntries(all.filter(isOfLine)) : null,
  };
}

/**
 * Has the service look at lines before any deal is written, so that a row whose line is wrong makes no deal, and
 * can be mended and imported like any other.
 * @returns the same drafts, what is wrong with their lines among their faults
 */
export async function withLineFaults(
  service: Service,
  records: Importable,
  drafts: readonly Draft[],
): Promise<readonly Draft[]> {
  const lines = drafts.map(({ fields }) => ownAndLine(records, fields).line);
  const writes = lines.filter((line) => line !== null);
  if (writes.length === 0) return drafts;
  const body = JSON.stringify({ operation: 'create', records: writes, dry_run: true });
  const results = (await service.write('deal_products', body, undefined)).values();
  return drafts.map((draft, at) => {
    if (!lines[at]) return draft;
    const messages = messagesOf(results.next().value?.fields ?? {}, draft);
    return { ...draft, faults: { ...messages, ...draft.faults } };
  });
}

/** All that is wrong, but that the deal is missing, and the product where the row names it: that has its own fault. */
function messagesOf(fields: Fields, { named }: Draft): FieldMessages {
  const isKnown = named.some(({ parent }) => parent === 'product');
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, messages]) => {
      const isOther = field === 'deal_id' || (field === 'product_id' && isKnown);
      return isOther || !Array.isArray(messages) ? [] : [[field, messages.map(String)]];
    }),
  );
}

/** The line of a row, with its deal. */
interface Line {
  readonly row: Row;
  readonly fields: Fields & { readonly deal_id: number };
}

/**
 * What follows a part once its deals are written. A line becomes that of a deal, or changes the one of the same
 * product if the deal had it before; of several rows with one product for one deal the last counts.
 * @param result what became of the deals
 * @returns it again, with the rows among the refused of which nobody can say which line they mean
 */
export async function linesAfter(
  service: Service,
  part: Part,
  results: readonly Result[],
  result: PartResult,
): Promise<{ readonly result: PartResult; readonly next: LinePart | undefined }> {
  const written = results.filter(({ status }) => status < 300);
  const lines = new Map<string, Line>();
  for (const { index, id } of written) {
    const [line, row] = [part.lines?.[index], part.rows[index]];
    if (!line || !row || id === null) continue;
    const fields = { ...line, deal_id: id };
    const key = keyOf(fields);
    lines.set(key, { row, fields: { ...lines.get(key)?.fields, ...fields } });
  }
  const older = new Set(written.flatMap(({ status, id }) => (status === 200 && id ? [id] : [])));
  const there = await existingLines(
    service,
    [...lines.values()].filter(({ fields }) => older.has(fields.deal_id)),
  );
  const created: LineWrite[] = [];
  const changed: LineWrite[] = [];
  const refused: RowRefusal[] = [];
  for (const [key, { row, fields }] of lines) {
    const [id, other] = there.get(key) ?? [];
    if (other !== undefined) refused.push(ambiguous(row));
    else if (id === undefined) created.push({ row, record: fields });
    else changed.push({ row, record: changeOf(id, fields) });
  }
  const before = withRefused(result, refused);
  const updates = partOf(part, changed, 'update', before);
  return { result: before, next: partOf(part, created, 'create', before, updates) ?? updates };
}

const keyOf = ({ deal_id, product_id }: Fields): string => `${deal_id} ${product_id}`;

const ambiguous = (row: Row): RowRefusal => {
  const why = 'is in the deal more than once';
  return ofLine({ row, errors: [`product: ${why}`], fields: { product: [why] } });
};

/** The ids of the lines that deals have, by {@link keyOf}. */
async function existingLines(
  service: Service,
  lines: readonly Line[],
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const byKey = new Map<string, unknown[]>();
  for (let at = 0; at < lines.length; at += maxAsked) {
    const fields = lines.slice(at, at + maxAsked).map((line): Fields => line.fields);
    const query = {
      deal_id_in: [...new Set(fields.map(({ deal_id }) => deal_id))],
      product_id_in: [...new Set(fields.map(({ product_id }) => product_id))],
    };
    for (const line of await service.find('deal_products', query)) {
      const known = byKey.get(keyOf(line)) ?? [];
      if (!known.includes(line.id)) byKey.set(keyOf(line), [...known, line.id]);
    }
  }
  return byKey;
}

/** Product and deal of a line are fixed. */
function changeOf(id: unknown, fields: Fields): Fields {
  const own = Object.keys(descriptions.deals.line?.fields ?? {});
  return {
    id,
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => own.includes(name))),
  };
}

interface LineWrite {
  readonly row: Row;
  readonly record: Fields;
}

function partOf(
  { key }: Part,
  writes: readonly LineWrite[],
  operation: 'create' | 'update',
  before: PartResult,
  next?: LinePart,
): LinePart | undefined {
  if (writes.length === 0) return undefined;
  return {
    key: `${key}-${operation}`,
    records: writes.map(({ record }) => JSON.stringify(record)),
    rows: writes.map(({ row }) => row),
    refused: [],
    stage: { operation, before, ...(next ? { next } : {}) },
  };
}
