/** Holds answers of the REST interface against its own documentation. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** What came back for which request. */
export interface Told {
  readonly method: string;
  /** With or without a query string. */
  readonly path: string;
  readonly status: number;
  /** Undefined when there was none. */
  readonly body: unknown;
  /** JSON unless given. */
  readonly type?: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isParameter = (part: string) => part.startsWith('{');
const parameters = (template: string) => template.split('/').filter(isParameter).length;

const problem = 'application/problem+json';

/** The documentation, as one document of OpenAPI. */
export class Documentation {
  readonly #document: unknown;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: unknown) {
    this.#document = document;
    formats.default(this.#ajv);
  }

  /**
   * Checks that an answer is documented: its status, and its body with no other field than those
   * that are. Addresses outside the interface are not looked at.
   * @returns the path of the operation, as it is documented; undefined for anything else
   * @throws {Error} naming everything that is not as documented
   */
  conforms({ method, path, status, body, type = 'application/json' }: Told): string | undefined {
    const address = path
      .replace(/\?.*$/s, '')
      .replaceAll(/\/+/g, '/')
      .replace(/(?<=.)\/$/, '');
    // Browsers ask by themselves what a page may send; nobody calls that.
    const isPreflight = method === 'OPTIONS' && status === 204;
    if (!address.startsWith('/api/') || method === 'HEAD' || isPreflight) return undefined;
    const fail = (reason: string) => {
      throw new Error(`${method} ${path} answered ${status} ${JSON.stringify(body)}: ${reason}`);
    };
    const template = this.#templateOf(address);
    const item = template === undefined ? undefined : this.#part('paths', template);
    const operation = item && this.#inside(item, method.toLowerCase());
    const wanted = item ? 405 : 404;
    if (!operation && status !== wanted)
      fail(`no such operation is documented, so ${wanted} is due`);
    const response = operation && this.#inside(operation, 'responses', String(status));
    if (operation && !response) fail('the status is not documented');
    const schema = response
      ? this.#inside(response, 'content', type, 'schema')
      : { $ref: `#/components/schemas/${type === problem ? 'Problem' : 'Error'}` };
    // A stream of another form.
    if (!schema && response && this.#inside(response, 'content')) return template;
    if (!schema) {
      if (body !== undefined) fail('no body is documented');
      return template;
    }
    const validate = this.#validatorOf(schema);
    if (validate(body)) return operation ? template : undefined;
    // A part of the fields was asked for.
    const isPart = /[?&]fields=/.test(path) && status < 300;
    const errors =
      validate.errors?.filter(({ keyword }) => !isPart || keyword !== 'required') ?? [];
    if (errors.length > 0) fail(this.#ajv.errorsText(errors, { dataVar: 'body' }));
    return operation ? template : undefined;
  }

  /** The path whose template an address fits; fixed parts go before parameters. */
  #templateOf(address: string): string | undefined {
    const paths = this.#part('paths') ?? {};
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

  #part(...keys: readonly string[]): Json | undefined {
    return this.#inside(this.#document, ...keys);
  }

  /** What lies in an object beneath keys, references followed. */
  #inside(value: unknown, ...keys: readonly string[]): Json | undefined {
    let at = value;
    for (const key of keys) {
      const next = isJson(at) && Object.hasOwn(at, key) ? at[key] : undefined;
      const reference = isJson(next) && key !== 'schema' ? next.$ref : undefined;
      at = typeof reference === 'string' ? this.#part(...reference.split('/').slice(1)) : next;
    }
    return isJson(at) ? at : undefined;
  }

  /** References of a schema are to the document's components, so it is given them. */
  #validatorOf(schema: Json): ValidateFunction {
    const key = JSON.stringify(schema);
    const known = this.#validators.get(key);
    if (known) return known;
    const validate = this.#ajv.compile({ ...schema, components: this.#part('components') });
    this.#validators.set(key, validate);
    return validate;
  }
}
