/** Tools that answer with figures, or with what a document asks for. */
import {
  type GraphQLField,
  getNamedType,
  isEnumType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { isAllowed } from '../../auth/policy.ts';
import type { Viewer } from '../../auth/viewer.ts';
import { coded } from '../../errors/codes.ts';
import { noField } from '../../errors/did_you_mean.ts';
import { Faults, invalid } from '../../errors/errors.ts';
import { readData, readDocument, runDocument } from '../../graphql/documents.ts';
import { schema } from '../../graphql/schema.ts';
import { isJsonObject, stringifyJson } from '../../json/json.ts';
import { argumentsOf } from '../arguments.ts';
import { openTo } from '../resources.ts';
import { fits, maxResultBytes } from '../result.ts';
import type { Tool } from '../tool.ts';

const measures = ['deals', 'summary', 'funnel', 'forecast'] as const;

type Measure = (typeof measures)[number];

/** The root fields that measure, by what the tool calls them. */
const rootFields: ReadonlyMap<Measure, string> = new Map([
  ['deals', 'deals_summary'],
  ['summary', 'summary'],
  ['funnel', 'pipeline_funnel'],
  ['forecast', 'pipeline_forecast'],
]);

const fieldOf = (measure: Measure) =>
  schema.getQueryType()?.getFields()[rootFields.get(measure) ?? ''];

/** What a summary counts, of what a viewer may read. */
function subjectsFor(viewer: Viewer): readonly string[] {
  const type = schema.getType('SummarySubject');
  const open = openTo(viewer, 'read').map(({ name }) => name.toUpperCase());
  return isEnumType(type)
    ? type.getValues().flatMap(({ name }) => (open.includes(name) ? [name] : []))
    : [];
}

/** Which of them a viewer may ask. */
function measuresFor(viewer: Viewer): readonly Measure[] {
  const deals = isAllowed(viewer, 'deal.read');
  const pipelines = deals && isAllowed(viewer, 'pipeline.read');
  const may: Readonly<Record<Measure, boolean>> = {
    deals,
    summary: subjectsFor(viewer).length > 0,
    funnel: pipelines,
    forecast: pipelines,
  };
  return measures.filter((measure) => may[measure] && fieldOf(measure) !== undefined);
}

/** A figure as a summary selects it: `count`, or `sum(amount_in_cents)`. */
function readFigure(text: string, names: readonly string[]): string | undefined {
  if (names.includes(text)) return text;
  const [name = '', of = ''] = text.replace(/\)$/, '').split('(');
  if (!names.includes(name) || !/^[\w.]+$/.test(of)) return undefined;
  return `${name}_${of.replaceAll('.', '_')}: ${name}(of: ${JSON.stringify(of)})`;
}

/**
 * What groups have in common is only shown where they are made of it: to select it takes the scope to read it.
 * @returns whether a field belongs to no grouping, or to one of those wanted
 */
function groupedBy({ args }: Pick<GraphQLField<unknown, unknown>, 'args'>, group: unknown) {
  const type = args.find(({ name }) => name === 'group_by')?.type;
  const all = type && getNamedType(type);
  const known = isEnumType(all) ? all.getValues().map(({ name }) => name) : [];
  const isOf = (field: string, grouping: string) =>
    field === grouping.toLowerCase() || field.startsWith(`${grouping.toLowerCase()}_`);
  return (field: string): boolean => {
    const of = known.filter((grouping) => isOf(field, grouping));
    return of.length === 0 || of.some((grouping) => [group].flat().includes(grouping));
  };
}

/** The document that asks for a measure with these arguments. */
function documentOf(
  measure: Measure,
  args: Readonly<Record<string, unknown>>,
  figures: readonly string[],
): { text: string; variables: Readonly<Record<string, unknown>> } {
  const field = fieldOf(measure);
  const type = field && getNamedType(field.type);
  if (!field || !isObjectType(type)) throw new Error(`the schema has no ${measure}`);
  const faults = new Faults();
  const known = field.args.filter(({ name }) => name !== 'account_id');
  for (const name of Object.keys(args)) {
    if (!known.some((one) => one.name === name)) {
      faults.addMisplaced({
        name,
        message: noField(
          name,
          known.map((one) => one.name),
        ),
      });
    }
  }
  for (const one of known) {
    if (isRequiredArgument(one) && (args[one.name] ?? null) === null) {
      faults.add(one.name, coded('blank', "can't be blank"));
    }
  }
  const fields = Object.values(type.getFields());
  const takers = fields.filter(({ args }) => args.some(isRequiredArgument)).map(({ name }) => name);
  const parsedFigures = figures.flatMap((text) => {
    const figure = readFigure(text, [...takers, 'count']);
    if (figure === undefined)
      faults.add(
        'figures',
        `"${text.slice(0, 60)}" is not a figure: use ${takers.join('(…), ')}(…) or count`,
      );
    return figure ?? [];
  });
  faults.throwIfAny();
  const grouped = groupedBy(field, args.group_by);
  const leaves = fields.filter(
    ({ name, args, type: of }) =>
      grouped(name) && !args.some(isRequiredArgument) && isLeafType(getNamedType(of)),
  );
  const objects = fields.flatMap(({ name, args, type: of }) => {
    const inner = getNamedType(of);
    if (!isObjectType(inner) || !grouped(name) || args.some(isRequiredArgument)) return [];
    const values = Object.values(inner.getFields()).filter(({ type: value }) =>
      isLeafType(getNamedType(value)),
    );
    return `${name} { ${values.map((value) => value.name).join(' ')} }`;
  });
  const used = known.filter(({ name }) => (args[name] ?? null) !== null);
  const declared = [
    '$account_id: Integer!',
    ...used.map(({ name, type: of }) => `$${name}: ${String(of)}`),
  ];
  const passed = ['account_id', ...used.map(({ name }) => name)].map((name) => `${name}: $${name}`);
  const selected = [
    ...leaves.map(({ name }) => name),
    ...objects,
    ...parsedFigures.filter((one) => one !== 'count'),
  ];
  return {
    text: `query (${declared.join()}) { figures: ${field.name}(${passed.join()}) { ${selected.join(' ')} } }`,
    variables: Object.fromEntries(used.map(({ name }) => [name, args[name]])),
  };
}

/** What the arguments of a measure are called. */
function argumentsText(measure: Measure, viewer: Viewer): string {
  const args = fieldOf(measure)?.args.filter(({ name }) => name !== 'account_id') ?? [];
  return args
    .map((one) => {
      if (measure === 'summary' && one.name === 'of')
        return `of! (${subjectsFor(viewer).join('|')})`;
      return isRequiredArgument(one) ? `${one.name}!` : one.name;
    })
    .join(' ');
}

/** As many groups as fit, from one on. */
function pageOf(groups: readonly unknown[], from: number): string {
  for (let count = groups.length - from; ; count = Math.floor(count * 0.7)) {
    const data = groups.slice(from, from + count);
    const isMore = from + count < groups.length;
    const text = stringifyJson({ data, ...(isMore && { after: String(from + count) }) });
    if (fits(text) || count <= 1) return text;
  }
}

const summarize: Tool = {
  name: 'summarize',
  title: 'Counts, sums and rates',
  description:
    'Figures in groups. deals: counts, sums, won rate by STATUS, STAGE, OWNER, MONTH, … (group_by); funnel: how far deals of a pipeline got; forecast: what open deals are likely worth; summary: any resource.',
  effect: 'reads',
  schema: (viewer) => {
    const open = measuresFor(viewer);
    if (open.length === 0) return undefined;
    const list = open.map((measure) => `${measure}: ${argumentsText(measure, viewer)}`).join('; ');
    return argumentsOf(
      {
        of: { type: 'string', enum: open },
        with: { type: 'object', description: `Arguments. ${list}` },
        ...(open.includes('summary') && {
          figures: {
            type: 'array',
            items: { type: 'string' },
            description: 'Of summary, such as sum(total_deal_products_amount_in_cents)',
          },
        }),
        after: { type: 'string' },
      },
      ['of'],
    );
  },
  async run({ args, client }) {
    const measure = measuresFor(client.viewer).find((one) => one === args.text('of'));
    if (!measure) throw invalid('of', 'cannot be measured');
    const { text, variables } = documentOf(
      measure,
      args.object('with') ?? {},
      args.texts('figures'),
    );
    const account_id = client.viewer.accountId;
    const data = await readData(text, client, { ...variables, account_id });
    const groups: unknown = JSON.parse(stringifyJson(data.figures));
    const from = Number(args.text('after') ?? 0);
    if (!(Number.isInteger(from) && from >= 0))
      throw invalid('after', 'is not what the answer before said');
    return { text: pageOf([groups].flat(), from), hasRecords: true };
  },
};

const graphql: Tool = {
  name: 'graphql',
  title: 'Run a GraphQL query',
  description:
    'One read-only document of the GraphQL schema (field names as here; root fields take account_id), for what the other tools do not read at once.',
  effect: 'reads',
  schema: (viewer) =>
    openTo(viewer, 'read').length > 0
      ? argumentsOf(
          {
            query: { type: 'string', maxLength: 256 * 1024 },
            variables: { type: 'object' },
            operation_name: { type: 'string' },
          },
          ['query'],
        )
      : undefined,
  async run({ args, client, introspects }) {
    const document = await readDocument(args.text('query') ?? '', client, introspects);
    const variables = args.object('variables') ?? {};
    const result = await runDocument(document, client, variables, args.text('operation_name'));
    const text = stringifyJson(result);
    if (!fits(text)) {
      const bytes = Buffer.byteLength(text).toLocaleString('en');
      const message = `asks for ${bytes} bytes, and an answer has room for some ${maxResultBytes / 2}: ask for less`;
      throw invalid('query', coded('too_large', message));
    }
    const isError = result.errors !== undefined && !isJsonObject(result.data);
    return { text, isError, hasRecords: true };
  },
};

export const figures: readonly Tool[] = [summarize, graphql];
