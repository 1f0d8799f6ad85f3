/** Holds answers of the REST interface against its own documentation. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openapi } from '../../src/rest/openapi/document.ts';

/** What came back for which request. */
export interface Told {
  readonly method: string;
  /** With or without a query string. */
  readonly path: string;
  readonly status: number;
  /** Undefined when there was none. */
  readonly body: unknown;
}

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const document: unknown = openapi();
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

const validators = new Map<string, ValidateFunction>();

/**
 * Checks that an answer is documented: its status, and its body with no other field than those
 * that are. Addresses outside the interface are not looked at.
 * @returns the path of the operation, as it is documented; undefined for what is none
 * @throws {Error} naming everything that is not as documented
 */
export function conforms({ method, path, status, body }: Told): string | undefined {
  const address = path
    .replace(/\?.*$/s, '')
    .replaceAll(/\/+/g, '/')
    .replace(/(?<=.)\/$/, '');
  if (!address.startsWith('/api/') || method === 'HEAD') return undefined;
  const fail = (reason: string) => {
    throw new Error(`${method} ${path} answered ${status} ${JSON.stringify(body)}: ${reason}`);
  };
  const template = templateOf(address);
  const item = template === undefined ? undefined : inside(document, 'paths', template);
  const operation = item && inside(item, method.toLowerCase());
  const wanted = item ? 405 : 404;
  if (!operation && status !== wanted) fail(`no such operation is documented, so ${wanted} is due`);
  const response = operation && inside(operation, 'responses', String(status));
  if (operation && !response) fail('the status is not documented');
  const schema = response
    ? inside(response, 'content', 'application/json', 'schema')
    : { $ref: '#/components/schemas/Error' };
  // A stream of another form.
  if (!schema && response && inside(response, 'content')) return template;
  if (!schema) {
    if (body !== undefined) fail('no body is documented');
    return template;
  }
  const validate = validatorOf(schema);
  if (validate(body)) return operation ? template : undefined;
  // A part of the fields was asked for.
  const isPart = /[?&]fields=/.test(path) && status < 300;
  const errors = validate.errors?.filter(({ keyword }) => !isPart || keyword !== 'required') ?? [];
  if (errors.length > 0) fail(ajv.errorsText(errors, { dataVar: 'body' }));
  return operation ? template : undefined;
}

/** The path whose template an address fits; fixed parts go before parameters. */
function templateOf(address: string): string | undefined {
  const paths = inside(document, 'paths') ?? {};
  const parts = address.split('/');
  const fitting = Object.keys(paths).filter((template) => {
    const wanted = template.split('/');
    return (
      wanted.length === parts.length &&
      wanted.every((part, index) => part === parts[index] || (isParameter(part) && parts[index]))
    );
  });
  const [best] = fitting.sort((one, other) => parameters(one) - parameters(other));
  return best;
}

const isParameter = (part: string) => part.startsWith('{');
const parameters = (template: string) => template.split('/').filter(isParameter).length;

/** What lies in an object beneath keys, references followed. */
function inside(value: unknown, ...keys: readonly string[]): Json | undefined {
  let at = value;
  for (const key of keys) {
    const next = isJson(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    const reference = isJson(next) && key !== 'schema' ? next.$ref : undefined;
    at = typeof reference === 'string' ? inside(document, ...reference.split('/').slice(1)) : next;
  }
  return isJson(at) ? at : undefined;
}

/** References of a schema are to the document's components, so it is given them. */
function validatorOf(schema: Json): ValidateFunction {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known) return known;
  const validate = ajv.compile({ ...schema, components: inside(document, 'components') });
  validators.set(key, validate);
  return validate;
}
