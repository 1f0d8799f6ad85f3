/** Tools that read records. */
import { isAllowed } from '../../auth/policy.ts';
import type { Viewer } from '../../auth/viewer.ts';
import type { Context, PageNote } from '../../context/context.ts';
import { invalid, notFound } from '../../errors/errors.ts';
import { readData } from '../../graphql/documents.ts';
import { parseJson, sourceOf, stringifyJson } from '../../json/json.ts';
import { memoize } from '../../lib/memoize.ts';
import { callerOf } from '../../rest/call.ts';
import { routes } from '../../rest/routes.ts';
import { argumentsOf } from '../arguments.ts';
import { labelOf, openTo, type Resource, resourceNamed } from '../resources.ts';
import { cutToFit, fitPage } from '../result.ts';
import type { Tool } from '../tool.ts';

const namesOf = (resources: readonly Resource[]) => resources.map(({ name }) => name);

const searcherOf = memoize((resource: Resource) => {
  if (!resource.search) throw notFound();
  return callerOf(resource.search);
});

/** What people look for by what they remember of it. */
const findable = ['contacts', 'deals', 'products', 'users'];

const findRoute = routes.find(({ operation }) => operation === 'find');

export const find: Tool = {
  name: 'find',
  title: 'Find by words',
  description:
    'Contacts, deals, products and users by words as people remember them: accents, case and order do not matter, small errors are forgiven (match: similar).',
  effect: 'reads',
  schema: (viewer) =>
    findRoute && openTo(viewer, 'read').some(({ name }) => findable.includes(name))
      ? argumentsOf(
          {
            q: { type: 'string' },
            limit: {
              type: 'integer',
              minimum: 1,
              maximum: 20,
              description: 'Of each; 5 by default',
            },
          },
          ['q'],
        )
      : undefined,
  async run({ args, rest }) {
    if (!findRoute) throw notFound();
    const query = new URLSearchParams({
      q: args.text('q') ?? '',
      limit: String(args.integer('limit') ?? 5),
    });
    const { body } = await callerOf(findRoute)(rest, { query: query.toString() });
    const members: unknown = JSON.parse(stringifyJson(body), (name, value) =>
      name === 'highlights' ? undefined : value,
    );
    return { text: cutToFit(stringifyJson(members)), hasRecords: true };
  },
};

export const search: Tool = {
  name: 'search',
  title: 'Search records',
  description:
    'Finds records of one resource. query: {attribute_predicate: value}, such as {"status_eq": "open", "stage_name_eq": "Negotiation", "s": "created_at desc"}; predicates eq not_eq in cont start lt lteq gt gteq null present true; describe has all. Answers data, count, and after when there is more.',
  effect: 'reads',
  schema: (viewer) => {
    const names = namesOf(openTo(viewer, 'read'));
    if (names.length === 0) return undefined;
    return argumentsOf(
      {
        resource: { type: 'string', enum: names },
        query: { type: 'object' },
        fields: { type: 'array', items: { type: 'string' }, description: 'Only these fields' },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: '20 by default' },
        after: { type: 'string', maxLength: 10_000, description: 'From the answer before' },
      },
      ['resource'],
    );
  },
  async run({ args, rest }) {
    const resource = resourceNamed(args.text('resource'));
    if (!resource) throw notFound();
    const find = searcherOf(resource);
    const fields = args.texts('fields');
    const query = fields.length > 0 ? `fields=${encodeURIComponent(fields.join(','))}` : '';
    const text = await fitPage(args.integer('limit') ?? 20, async (per_page) => {
      let page: PageNote | undefined;
      const context: Context = {
        ...rest,
        notePage: (note) => {
          page = note;
        },
      };
      const body = {
        query: args.object('query'),
        per_page,
        ...(args.has('after') ? { after: args.text('after'), count: 'none' } : {}),
      };
      const matches = await find(context, { body, query });
      const { data, pagination } = Object(matches.body);
      const after = page?.next_cursor ?? null;
      return stringifyJson({
        data,
        ...(!args.has('after') && { count: pagination.count }),
        ...(after !== null && { after }),
      });
    });
    return { text, hasRecords: true };
  },
};

/** Where a page of a history goes on: its number, and how many entries a page has. */
function placeOf(after: string | undefined): { page: number; size: number } {
  if (after === undefined) return { page: 1, size: 20 };
  const [page = Number.NaN, size = Number.NaN] = after.split('.').map(Number);
  if (!(page > 1 && page < 1e6 && size >= 1 && size <= 20)) {
    throw invalid('after', 'is not what the answer before said');
  }
  return { page, size };
}

/** The timelines that there are, by resource. */
const timelines: Readonly<Record<string, string>> = {
  contacts:
    'timeline: contact_timeline(account_id: $account, contact_id: $id, page: $page, per_page: $size)',
  deals:
    'timeline: events(account_id: $account, query: {deal_id_eq: $id, s: "id desc"}, page: $page, per_page: $size)',
};

const trail =
  'trail: audit_entries(account_id: $account, query: $about, page: $page, per_page: $size) { data { action user_id token_id client before after request_id created_at } pagination { next } }';

const withHistory = (viewer: Viewer): readonly Resource[] => {
  const hasTrail = isAllowed(viewer, 'audit_entry.read');
  const hasEvents = isAllowed(viewer, 'event.read');
  return openTo(viewer, 'read').filter(
    ({ name }) => hasTrail || (hasEvents && timelines[name] !== undefined),
  );
};

export const history: Tool = {
  name: 'history',
  title: 'History of a record',
  description:
    'What happened with one record, newest first: timeline (notes, activities, stage changes) and, for admins, trail (who changed which field from what to what).',
  effect: 'reads',
  schema: (viewer) => {
    const names = namesOf(withHistory(viewer));
    if (names.length === 0) return undefined;
    return argumentsOf(
      {
        resource: { type: 'string', enum: names },
        id: { type: 'integer' },
        after: { type: 'string' },
      },
      ['resource', 'id'],
    );
  },
  async run({ args, client }) {
    const { viewer } = client;
    const resource = resourceNamed(args.text('resource'));
    const id = args.integer('id') ?? 0;
    if (!resource?.search) throw notFound();
    const { operation } = resource.search;
    const { page, size } = placeOf(args.text('after'));
    const timeline = isAllowed(viewer, 'event.read') ? timelines[resource.name] : undefined;
    const label = labelOf(resource.type) ?? 'id';
    const known = `record: ${operation}(account_id: $account, query: {id_eq: $id}, count: "none") { data { id ${label === 'id' ? '' : label} } }`;
    const event =
      '{ data { id kind title content done done_at scheduled_at created_at deal_id } pagination { next } }';
    const selected = [
      known,
      ...(timeline ? [`${timeline} ${event}`] : []),
      ...(isAllowed(viewer, 'audit_entry.read') ? [trail] : []),
    ];
    const uses = selected.slice(1).join(' ');
    const variables = [
      '$account: Integer!',
      '$id: Integer!',
      ...(uses.includes('$about') ? ['$about: SearchQuery'] : []),
      ...(uses === '' ? [] : ['$page: Integer', '$size: Integer']),
    ];
    const readPage = async (per: number) => {
      const data = await readData(`query (${variables.join()}) { ${selected.join(' ')} }`, client, {
        account: viewer.accountId,
        id,
        about: { record_type_eq: resource.one, record_id_eq: id },
        page,
        size: per,
      });
      const members = Object(parseJson(stringifyJson(data)));
      if (members.record.data.length === 0 && !(members.trail?.data.length > 0)) throw notFound();
      const isMore =
        (members.timeline?.pagination.next ?? members.trail?.pagination.next ?? null) !== null;
      return sourceOf({
        record: members.record.data[0] ?? null,
        ...(members.timeline && { timeline: members.timeline.data }),
        ...(members.trail && { trail: members.trail.data }),
        ...(isMore && { after: `${page + 1}.${per}` }),
      });
    };
    // Pages are of one size, or some entries would be left out.
    const text = page === 1 ? await fitPage(size, readPage) : cutToFit(await readPage(size));
    return { text, hasRecords: true };
  },
};
