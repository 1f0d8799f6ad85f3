/**
 * Reads back all that an account has, by every way of reading: what was stored must not keep any
 * of them from being answered, and must fit together.
 */
import {
  type GraphQLArgument,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { rootFields, typeOf } from './documents.ts';
import { type Draft, draftOf } from './draft.ts';
import { nameOf, type Operation, operations, typeOfParameter } from './operations.ts';
import { disorderIn } from './order.ts';
import { isJson, type Json } from './pool.ts';
import { jsonOf, Wrong } from './rest_verdict.ts';
import { attributesOf } from './searches.ts';
import type { Asking, Session } from './session.ts';
import type { Answer } from './wire.ts';

const perPage = 100;
const freeJson = ['city_cont=a', 'a_not_eq=1', 'constructor_present=1', 'b_lt=b'];

const reads = operations.filter(({ method }) => method === 'GET');

/** @param whole whether every record is fetched by its id, not only those written lately */
export async function readBack(session: Session, whole: boolean): Promise<void> {
  const found = await readPages(session);
  for (const [type, records] of found) session.pool.replace(type, records);
  for (const [reason, told] of disorderIn(found)) session.report.fail(reason, told);
  await readNewest(session);
  const poisoned = new Set<Operation>();
  await session.ask([
    ...reads.flatMap((operation) => fetches(session, operation, whole)),
    ...reads.flatMap((operation) => searches(session, operation, () => poisoned.add(operation))),
    ...documents(session).map((query) => reading(undefined, '/graphql', '', query)),
  ]);
  for (const operation of poisoned) await removePoison(session, operation);
  session.recent.clear();
}

function reading(
  operation: Operation | undefined,
  path: string,
  search: string,
  query?: string,
): Asking {
  const name = operation ? nameOf(operation) : (query ?? '');
  const draft = draftOf({ name, operation, method: query === undefined ? 'GET' : 'POST', path });
  draft.search = search;
  if (query !== undefined) {
    draft.contentType = 'application/json';
    draft.body = Buffer.from(JSON.stringify({ query }));
  }
  return {
    kind: 'read',
    make: () => draft,
    right: ({ status, text }) => {
      // A record may be gone with another.
      if (status === 200 || (status === 404 && isOfRecord(operation))) return;
      throw new Wrong(`what was stored cannot be read: ${status} ${text.slice(0, 200)}`);
    },
  };
}

const pathOf = ({ accounts }: Session, { template }: Operation) =>
  template.replace('{account_id}', String(accounts.accountId));

/** Whether it is about one record, or about what that has. */
const isOfRecord = (operation: Operation | undefined): boolean => ownerOf(operation) !== undefined;

/** The name of the parameter for the record that a path is about. */
const ownerOf = (operation: Operation | undefined): string | undefined =>
  operation && /\{account_id\}.*\{(\w+)\}/.exec(operation.template)?.[1];

/** The paths of a search: of the account's records, or of what each of some records has. */
function searchPaths(session: Session, operation: Operation, max: number): string[] {
  const path = pathOf(session, operation);
  const owner = ownerOf(operation);
  if (owner === undefined) return [path];
  const ids = session.pool.ids(typeOfParameter(operation.template, owner)).slice(-max);
  return ids.map((id) => path.replace(`{${owner}}`, String(id)));
}

/** All records by their type, from every page of the searches that find all. */
async function readPages(session: Session): Promise<ReadonlyMap<string, readonly Json[]>> {
  const found = new Map<string, { readonly records: Json[]; readonly count: unknown }>();
  const rest: Asking[] = [];
  const page = (operation: Operation, type: string, at: number): Asking => {
    const search = `per_page=${perPage}&page=${at}`;
    const asking = reading(operation, pathOf(session, operation), search);
    const right = (answer: Answer, draft: Draft) => {
      asking.right?.(answer, draft);
      const { data, pagination } = pageOf(answer);
      const known = found.get(type) ?? { records: [], count: pagination.count };
      found.set(type, known);
      known.records.push(...data);
      if (at > 1) return;
      for (let n = 2; n <= Number(pagination.pages); n++) rest.push(page(operation, type, n));
    };
    return { ...asking, right };
  };
  const first = reads.flatMap((operation) =>
    operation.searches !== undefined && operation.shows !== undefined && !isOfRecord(operation)
      ? [page(operation, operation.shows, 1)]
      : [],
  );
  await session.ask(first);
  await session.ask(rest);
  for (const [type, { records, count }] of found) {
    if (records.length !== count) {
      session.report.fail(
        `the count of ${type}s is not what is found`,
        `${count}, ${records.length}`,
      );
    }
  }
  return new Map([...found].map(([type, { records }]) => [type, records]));
}

/** The newest of what records have, which the service goes on writing meanwhile: a webhook's deliveries. */
async function readNewest(session: Session): Promise<void> {
  const found = new Map<string, Json[]>();
  const asked = reads.flatMap((operation) => {
    const { searches, shows } = operation;
    if (searches === undefined || shows === undefined || !isOfRecord(operation)) return [];
    const records: Json[] = [];
    found.set(shows, records);
    return searchPaths(session, operation, perPage).map((path): Asking => {
      const asking = reading(operation, path, `per_page=${perPage}`);
      const right = (answer: Answer, draft: Draft) => {
        asking.right?.(answer, draft);
        if (answer.status === 200) records.push(...pageOf(answer).data);
      };
      return { ...asking, right };
    });
  });
  await session.ask(asked);
  for (const [type, records] of found) session.pool.replace(type, records);
}

function pageOf(answer: Answer): { readonly data: readonly Json[]; readonly pagination: Json } {
  const body = jsonOf(answer);
  if (!isJson(body) || !Array.isArray(body.data) || !isJson(body.pagination)) {
    throw new Wrong('is no page');
  }
  return { data: body.data.filter(isJson), pagination: body.pagination };
}

/** Records by their ids, or what takes none. */
function fetches(session: Session, operation: Operation, whole: boolean): Asking[] {
  if (operation.searches !== undefined) return [];
  const path = pathOf(session, operation);
  const required = operation.required.map((name) => `${name}=a`).join('&');
  if (!path.includes('{')) return [reading(operation, path, required)];
  const type = typeOfParameter(operation.template, 'id');
  const ids = whole ? session.pool.ids(type) : lately(session, type);
  return ids.map((id) => reading(operation, path.replace('{id}', String(id)), ''));
}

/** Ids of records that were written since the last time. */
const lately = ({ recent }: Session, type: string): number[] =>
  [...recent.keys()]
    .map((key) => key.split(' '))
    .flatMap(([of, id]) => (of === type ? [Number(id)] : []));

/** Sorted by all that sorts, and by what free JSON holds. */
function searches(session: Session, operation: Operation, failed: () => void): Asking[] {
  if (operation.searches === undefined) return [];
  const queries = attributesOf(operation.searches).flatMap(({ name, searchable: { kind } }) => {
    if (kind === 'json') return freeJson.map((key) => `query[${name}.${key.replace('=', ']=')}`);
    return kind === 'labels' ? [`query[${name}_cont]=a`] : [`query[s]=${name}+desc`];
  });
  return searchPaths(session, operation, 1).flatMap((path) =>
    queries.map((query) => ({
      ...reading(operation, path, `per_page=1&${query}`),
      wrong: failed,
    })),
  );
}

/** A document for each root field that reads, with all that a record shows and all beneath it. */
function documents(session: Session): string[] {
  return rootFields.flatMap(([kind, field]) => {
    const type = getNamedType(field.type);
    if (kind !== 'query' || !isObjectType(type)) return [];
    const about = field.args
      .map(({ name }) => name.replace(/_id$/, ''))
      .find((name) => session.pool.knows(name));
    const subject = about ?? typeOf(field.name);
    const one = field.args.some(({ name }) => name === 'id' || name === `${about}_id`);
    const ids = one
      ? [...lately(session, subject).slice(-5), ...session.pool.ids(subject).slice(0, 1)]
      : [0];
    return ids.flatMap((id) =>
      variants(field.args).map((more) => {
        const given = field.args.flatMap(({ name, type: of }) => {
          if (name === 'account_id') return [`account_id: ${session.accounts.accountId}`];
          if (isNonNullType(of) && /(^|_)id$/.test(name)) return [`${name}: ${id}`];
          if (name === 'q') return ['q: "a"'];
          if (name === 'record_type') return ['record_type: "contact"'];
          return name === 'per_page' || name === 'per_stage' ? [`${name}: 50`] : [];
        });
        return `{ ${field.name}(${[...given, ...more].join(', ')}) { ${whole(type, 2)} } }`;
      }),
    );
  });
}

/** Every value of the arguments that list some of a few, or have to be one of them. */
function variants(args: readonly GraphQLArgument[]): string[][] {
  const required = args.find(({ type }) => isNonNullType(type) && isEnumType(type.ofType));
  const choice = required && getNamedType(required.type);
  if (required && isEnumType(choice)) {
    return choice.getValues().map((value) => [`${required.name}: ${value.name}`]);
  }
  const [listed] = args.flatMap(({ name, type }) => {
    const list = getNullableType(type);
    const of = isListType(list) ? getNamedType(list) : undefined;
    return of && isEnumType(of) ? [{ name, values: of.getValues() }] : [];
  });
  if (!listed) return [[]];
  return [[], ...listed.values.map((value) => [`${listed.name}: [${value.name}]`])];
}

function whole(type: GraphQLObjectType, levels: number): string {
  return Object.values(type.getFields())
    .flatMap(({ name, type: of, args }) => {
      const inner = getNamedType(of);
      // What every record has.
      const required = args.some(({ type: asked }) => isNonNullType(asked)) ? '(of: "id")' : '';
      if (!isObjectType(inner)) return [`${name}${required}`];
      if (levels === 0) return [];
      const limited = args.some((argument) => argument.name === 'limit') ? '(limit: 5)' : '';
      return [`${name}${limited} { ${whole(inner, levels - 1)} }`];
    })
    .join(' ');
}

/** Finds the records that keep a search from being answered, reports them, and removes them. */
async function removePoison(session: Session, operation: Operation): Promise<void> {
  const type = operation.shows ?? '';
  const path = pathOf(session, operation);
  const asked = lately(session, type).map((id): Asking => {
    const search = `query[id_eq]=${id}&query[custom_attributes.${freeJson[0]?.replace('=', ']=')}`;
    const wrong = () => {
      const writes = session.recent.get(`${type} ${id}`) ?? [];
      session.report.fail(`poison is stored in a ${type}`, writes.join('\n'));
      culprits.push(id);
    };
    return { ...reading(operation, path, search), wrong };
  });
  const culprits: number[] = [];
  await session.ask(asked);
  const remove = operations.find(
    ({ method, template }) => method === 'DELETE' && typeOfParameter(template, 'id') === type,
  );
  if (!remove) return;
  await session.ask(
    culprits.map((id): Asking => {
      const gone = reading(remove, pathOf(session, remove).replace('{id}', String(id)), '');
      return { kind: 'read', make: () => ({ ...gone.make(), method: 'DELETE' }) };
    }),
  );
}
