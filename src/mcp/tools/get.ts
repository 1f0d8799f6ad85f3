/** The tool that reads records by their ids. */
import type { Viewer } from '../../auth/viewer.ts';
import type { Context } from '../../context/context.ts';
import { notInList } from '../../errors/codes.ts';
import { invalid, notFound } from '../../errors/errors.ts';
import { readData } from '../../graphql/documents.ts';
import { JsonText, parseJson, sourceOf, stringifyJson } from '../../json/json.ts';
import { argumentsOf } from '../arguments.ts';
import { mayRead, nestedIn, openTo, type Resource, resourceNamed, valuesOf } from '../resources.ts';
import { fitPage, fits } from '../result.ts';
import type { Tool } from '../tool.ts';

/** Records of a list within a record, unless there are fewer. */
const nestedLimit = 20;

function selectionOf(
  viewer: Viewer,
  { type }: Resource,
  include: readonly string[],
  limit: number,
): string {
  const nested = nestedIn(type).filter(({ name }) => include.includes(name));
  const inner = nested.map(({ name, type: of, isList, count }) => {
    const argument = isList ? `(limit: ${limit})` : '';
    return `${name}${argument} { ${valuesOf(viewer, of).join(' ')} } ${isList && count ? count : ''}`;
  });
  return [...valuesOf(viewer, type), ...inner].join(' ');
}

const readableNested = (viewer: Viewer, { type }: Resource): readonly string[] =>
  nestedIn(type)
    .filter(({ type: of }) => mayRead(viewer, of))
    .map(({ name }) => name);

/** A record with its JSON text, as the database wrote it. */
interface RecordText {
  readonly id: number;
  readonly text: JsonText;
}

type BatchReader = (ids: readonly number[], limit: number) => Promise<readonly RecordText[]>;

/** Reads records in the order of their ids; those that there are not are left out. */
function reading(resource: Resource, include: readonly string[], client: Context): BatchReader {
  const { get: one, search: many } = resource;
  const account = client.viewer.accountId;
  return async (ids, limit) => {
    const selection = selectionOf(client.viewer, resource, include, limit);
    const [id, ...others] = ids;
    if (one && id !== undefined && others.length === 0) {
      const data = await readData(
        `query ($account: Integer!, $id: Integer!) { record: ${one.operation}(account_id: $account, id: $id) { ${selection} } }`,
        client,
        { account, id },
      );
      return [{ id, text: new JsonText(stringifyJson(data.record)) }];
    }
    if (!many) throw notFound();
    const { list } = await readData(
      `query ($account: Integer!, $query: SearchQuery) { list: ${many.operation}(account_id: $account, query: $query, per_page: 50, count: "none") { data { ${selection} } } }`,
      client,
      { account, query: { id_in: ids } },
    );
    const records: unknown = parseJson(stringifyJson(Object(list).data));
    const known = new Map([records].flat().map((record) => [Object(record).id, record]));
    return ids.flatMap((id) =>
      known.has(id) ? { id, text: new JsonText(sourceOf(known.get(id))) } : [],
    );
  };
}

export const get: Tool = {
  name: 'get',
  title: 'Get records by id',
  description:
    'Up to 50 records by their ids, with the lists and records within them that include names (describe has them). ids that do not fit come as after.',
  effect: 'reads',
  schema: (viewer) => {
    const names = openTo(viewer, 'read').map(({ name }) => name);
    if (names.length === 0) return undefined;
    return argumentsOf(
      {
        resource: { type: 'string', enum: names },
        ids: { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 50 },
        include: { type: 'array', items: { type: 'string' } },
      },
      ['resource', 'ids'],
    );
  },
  async run({ args, client }) {
    const resource = resourceNamed(args.text('resource'));
    if (!resource?.search) throw notFound();
    const include = args.texts('include');
    const known = readableNested(client.viewer, resource);
    if (include.some((name) => !known.includes(name))) throw invalid('include', notInList(known));
    const ids = [...new Set(args.integers('ids'))];
    const readBatch = reading(resource, include, client);
    let limit = nestedLimit;
    const text = await fitPage(ids.length, async (count) => {
      const now = ids.slice(0, count);
      for (;;) {
        const records = await readBatch(now, limit);
        if (records.length === 0) throw notFound();
        const missing = now.filter((id) => !records.some((record) => record.id === id));
        const rest = ids.slice(count);
        const written = stringifyJson({
          data: records.map(({ text }) => text),
          ...(missing.length > 0 && { missing }),
          ...(rest.length > 0 && { after: rest }),
        });
        if (fits(written) || count > 1 || limit === 1) return written;
        limit = Math.max(1, Math.floor(limit / 3));
      }
    });
    return { text, hasRecords: true };
  },
};
