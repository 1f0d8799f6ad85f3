/** What an agent must know before its next call. */
import { getNamedType, isInputObjectType } from 'graphql';
import { isAllowed } from '../../auth/policy.ts';
import type { Viewer } from '../../auth/viewer.ts';
import { readData } from '../../graphql/documents.ts';
import { demandsOf } from '../../graphql/inputs.ts';
import { schema } from '../../graphql/schema.ts';
import { searchedBy, searchReference } from '../../graphql/searchables.ts';
import { stringifyJson } from '../../json/json.ts';
import { call } from '../../rest/call.ts';
import { inputFieldsOf, inputOf } from '../../rest/operations.ts';
import { argumentsOf } from '../arguments.ts';
import {
  mayRead,
  nestedIn,
  openTo,
  operationsOf,
  type Resource,
  resourceNamed,
  valuesOf,
} from '../resources.ts';
import type { Tool, ToolCall } from '../tool.ts';

/** Bytes that a description may have. */
const maxBytes = 6_000;

type Members = Record<string, unknown>;

/** Records whose attributes show which keys are in use. */
const sampled = 50;

const isList = (value: unknown): value is unknown[] => Array.isArray(value);

/** Shortens the longest lists until everything fits, and says which are not whole. */
function trim(description: Members, lists: readonly string[]): string {
  const cut = new Set<string>();
  for (;;) {
    const text = stringifyJson({ ...description, ...(cut.size > 0 && { cut: [...cut] }) });
    if (Buffer.byteLength(text) <= maxBytes) return text;
    const [longest] = lists
      .flatMap((name) => {
        const value = description[name];
        return isList(value) && value.length > 0 ? [{ name, value }] : [];
      })
      .sort((one, other) => stringifyJson(other.value).length - stringifyJson(one.value).length);
    if (!longest) throw new Error('a description has too much that cannot be cut');
    cut.add(longest.name);
    description[longest.name] = longest.value.slice(0, Math.floor(longest.value.length * 0.7));
  }
}

/** Scalars and inputs, as a model knows them. */
const called: Readonly<Record<string, string>> = {
  ContactAttributes: 'object of a contact',
  DateTime: 'time',
  Flag: 'boolean',
  Integer: 'integer',
  JSONObject: 'object',
  Labels: 'list of texts',
  Text: 'text',
};

/** What a field takes, in a few words. */
function describeFields(input: string, type: string): Members {
  const demands = demandsOf(type);
  const fields: Members = {};
  for (const [name, scalar] of inputFieldsOf(input)) {
    const { isRequired = false, values, limits } = demands.get(name) ?? {};
    const kind = values ? values.join('|') : (called[scalar] ?? scalar);
    const max = limits?.maxLength === undefined ? '' : ` ≤${limits.maxLength}`;
    fields[name] = `${kind}${max}${isRequired ? ' required' : ''}`;
  }
  return fields;
}

function inputFields({ batch, create, update, type }: Resource): Members {
  const operation = batch?.records?.create ?? create?.operation ?? update?.operation;
  const input = operation === undefined ? undefined : inputOf(operation);
  return input === undefined ? {} : describeFields(input, type.name);
}

/** Predicates without their `_any` and `_all`, which all of them have. */
const plain = (name: string): boolean => !/_(any|all)$/.test(name);

function describeSearch({ search }: Resource): Members {
  if (!search) return {};
  const { searchables, associations } = searchReference(searchedBy(search.operation));
  return {
    attributes: Object.fromEntries(searchables.map(({ kind, attributes }) => [kind, attributes])),
    predicates: Object.fromEntries(
      searchables.map(({ kind, predicates }) => [
        kind,
        predicates
          .map(({ name }) => name)
          .filter(plain)
          .join(' '),
      ]),
    ),
    through: associations,
    rules:
      'key = [through_]attribute_predicate; also attribute_or_attribute_predicate; s: "attribute desc"; {m:"or", …}, g: [{…}] for groups',
  };
}

/** The keys of free-form attributes in the newest records. */
async function attributeKeys(
  { client }: ToolCall,
  { search, type }: Resource,
): Promise<readonly string[]> {
  if (!search || !type.getFields().custom_attributes) return [];
  const data = await readData(
    `query ($account: Integer!) { ${search.operation}(account_id: $account, query: {s: "id desc"}, per_page: ${sampled}, count: "none") { data { custom_attributes } } }`,
    client,
    { account: client.viewer.accountId },
  );
  const page: unknown = JSON.parse(stringifyJson(data[search.operation]));
  const records: unknown = Object(page).data;
  const keys = isList(records)
    ? records.flatMap((record) => Object.keys(Object(Object(record).custom_attributes)))
    : [];
  return [...new Set(keys.map((key) => key.slice(0, 100)))].sort().slice(0, 100);
}

async function describeResource(toolCall: ToolCall, resource: Resource): Promise<string> {
  const { viewer } = toolCall.rest;
  const reads = openTo(viewer, 'read').includes(resource);
  const operations = operationsOf(viewer, resource);
  const description: Members = {
    resource: resource.name,
    operations,
    ...(operations.length > 0 && { fields: inputFields(resource) }),
    shown: valuesOf(viewer, resource.type),
    include: nestedIn(resource.type)
      .filter(({ type }) => mayRead(viewer, type))
      .map(({ name }) => name),
    ...(reads && { search: describeSearch(resource) }),
    ...(reads && { custom_attributes: await attributeKeys(toolCall, resource) }),
  };
  return trim(description, ['custom_attributes', 'shown', 'include']);
}

/** What there is of an account, by the root fields that show it. */
const parts: readonly {
  readonly name: string;
  readonly may: (viewer: Viewer) => boolean;
  readonly selects: string;
}[] = [
  {
    name: 'account',
    may: (viewer) => isAllowed(viewer, 'account.read'),
    selects: `account(account_id: $account) { id ${valuesOfAccount()} }`,
  },
  {
    name: 'pipelines',
    may: (viewer) => isAllowed(viewer, 'pipeline.read'),
    selects:
      'pipelines: all_pipelines(account_id: $account) { data { id name stages { id name } } }',
  },
  {
    name: 'users',
    may: (viewer) => isAllowed(viewer, 'user.read'),
    selects:
      'users(account_id: $account, per_page: 40, count: "none") { data { id full_name email } }',
  },
  {
    name: 'labels',
    may: (viewer) => isAllowed(viewer, 'contact.read'),
    selects: 'labels(account_id: $account, per_page: 40) { data { label count } }',
  },
];

/** What an account has beside its id, as far as it can be changed. */
function valuesOfAccount(): string {
  const input = schema.getType('AccountInput');
  return isInputObjectType(input)
    ? Object.values(input.getFields())
        .filter(({ type }) => getNamedType(type).name !== 'Flag')
        .map(({ name }) => name)
        .join(' ')
    : '';
}

async function describeAccount(toolCall: ToolCall): Promise<string> {
  const { rest, client } = toolCall;
  const { viewer } = rest;
  const open = parts.filter(({ may }) => may(viewer));
  const data = open.length
    ? await readData(
        `query ($account: Integer!) { ${open.map(({ selects }) => selects).join(' ')} }`,
        client,
        { account: viewer.accountId },
      )
    : {};
  const me: unknown = JSON.parse(await call(rest, 'me', {}));
  const members: Members = JSON.parse(stringifyJson(data));
  const listed = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, Object(value).data ?? value]),
  );
  const { user, role, scopes } = Object(me);
  const description: Members = {
    now: rest.now.toISOString(),
    me: {
      id: Object(user).id,
      full_name: Object(user).full_name,
      account_id: viewer.accountId,
      role,
      scopes,
    },
    ...listed,
    resources: Object.fromEntries(
      [...new Set([...openTo(viewer, 'read'), ...openTo(viewer, 'write')])].map((resource) => [
        resource.name,
        valuesOf(viewer, resource.type).join(' '),
      ]),
    ),
    next: 'describe with a resource tells its fields, lists, predicates and attribute keys',
  };
  return trim(description, ['pipelines', 'users', 'labels']);
}

export const describe: Tool = {
  name: 'describe',
  title: 'Describe the CRM',
  description:
    'Start here. Without a resource: the account, you, pipelines with stages, users, labels. With one: its fields, search predicates, lists and attribute keys.',
  effect: 'reads',
  schema: (viewer) => {
    const names = [...new Set([...openTo(viewer, 'read'), ...openTo(viewer, 'write')])].map(
      ({ name }) => name,
    );
    return argumentsOf(names.length > 0 ? { resource: { type: 'string', enum: names } } : {});
  },
  async run(toolCall) {
    const resource = resourceNamed(toolCall.args.text('resource'));
    const text = resource
      ? await describeResource(toolCall, resource)
      : await describeAccount(toolCall);
    return { text, hasRecords: true };
  },
};
