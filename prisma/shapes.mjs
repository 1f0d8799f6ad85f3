/**
 * Prisma's generator of src/generated/shapes.ts: what is stored of each kind of record, as data.
 * It is run by `prisma generate`, and so by the build.
 */
import { writeFileSync } from 'node:fs';
import helper from '@prisma/generator-helper';

/** Kinds of columns, and the type that values of each are sent to PostgreSQL as. */
const casts = {
  integer: 'bigint',
  text: 'text',
  timestamp: 'timestamptz',
  boolean: 'boolean',
  json: 'json',
  labels: 'text[]',
};

/**
 * Kinds of columns by Prisma's types, those of time by PostgreSQL's; null where no record shows and no
 * search names them.
 */
const kinds = {
  BigInt: 'integer',
  Int: 'integer',
  String: 'text',
  'String[]': 'labels',
  Timestamptz: 'timestamp',
  Boolean: 'boolean',
  Json: 'json',
  Float: null,
  'Float[]': null,
  'Int[]': null,
};

const isRelation = ({ kind }) => kind === 'object';
const isOfAccount = ({ fields }) => fields.some(({ name }) => name === 'account_id');
/** A table or a column for the service itself: no client reads it or hears of it. */
const isInternal = ({ documentation = '' }) => documentation.includes('@internal');

/**
 * A relation as a pair of columns, the other record's first. The account is always compared, and
 * within it an id tells a record: what else is in a key is there for the constraint.
 */
function relation(field, model, models) {
  const other = models.find(({ name }) => name === field.type);
  const isOurs = field.relationFromFields.length > 0;
  const holder = isOurs
    ? field
    : other.fields.find(
        ({ relationName, type }) => relationName === field.relationName && type === model.name,
      );
  const key = holder.relationFromFields[holder.relationToFields.indexOf('id')];
  return {
    to: other.dbName,
    many: field.isList,
    on: isOurs ? { id: key } : { [key]: 'id' },
    ...(!isOurs && holder.relationOnDelete === 'Cascade' && { cascades: true }),
  };
}

function kindOf(model, { name, type, isList, nativeType }) {
  const stored = type === 'DateTime' ? nativeType?.[0] : isList ? `${type}[]` : type;
  if (stored in kinds) return kinds[stored];
  throw new Error(`${model.name}.${name} is ${stored}, which has no kind in prisma/shapes.mjs`);
}

function table(model, models) {
  const columns = {};
  const nullable = [];
  const relations = {};
  for (const field of model.fields) {
    if (isInternal(field)) continue;
    if (!isRelation(field)) {
      const kind = kindOf(model, field);
      if (kind) columns[field.name] = kind;
      // Prisma has no word for a list that may not be null, and declares none NOT NULL.
      if (kind && (!field.isRequired || field.isList)) nullable.push(field.name);
    } else if (models.some(({ name }) => name === field.type)) {
      relations[field.name] = relation(field, model, models);
    }
  }
  // Which of a record's columns no other one of its account has together.
  const unique = model.uniqueFields.map((key) => key.filter((name) => name !== 'account_id'));
  const one = model.name.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase();
  return { type: model.name, one, columns, nullable, unique, relations };
}

helper.generatorHandler({
  onManifest: () => ({ prettyName: 'shapes', defaultOutput: '../src/generated/shapes.ts' }),
  onGenerate: async ({ dmmf, generator }) => {
    const { models: all } = dmmf.datamodel;
    const ofAccounts = all.filter(isOfAccount);
    const models = ofAccounts.filter((model) => !isInternal(model));
    const internal = ofAccounts.filter(isInternal).map(({ dbName }) => dbName);
    const tables = Object.fromEntries(models.map((model) => [model.dbName, table(model, models)]));
    const account = table(
      all.find(({ name }) => name === 'Account'),
      [],
    );
    writeFileSync(
      generator.output.value,
      Object.entries({ tables, internal, account, casts })
        .map(
          ([name, value]) => `export const ${name} = ${JSON.stringify(value, null, 2)} as const;\n`,
        )
        .join('\n'),
    );
  },
});
