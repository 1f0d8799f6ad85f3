/**
 * The errors that a client may see. Every code stands for one REST status and one GraphQL
 * `extensions.code`. Anything that is not a Fault is an error of ours, and both doors mask it.
 */
import {
  alreadyTaken,
  type Code,
  coded,
  codeOf,
  codes,
  type FieldCode,
  messageOf,
  type Problem,
} from './codes.ts';

export { type Code, codes } from './codes.ts';

/** Codes of refusals with messages by field. */
type CodeWithFields = 'VALIDATION_FAILED' | 'INVALID_SEARCH';

/** Messages by field, the field named as the client sent it (`contact_attributes.email`). */
export type FieldMessages = Readonly<Record<string, readonly string[]>>;

/** The codes of these messages, in the same order. */
export type FieldCodes = Readonly<Record<string, readonly FieldCode[]>>;

/** The id of a record, such as `{contact_id: 7}`. */
export type Conflict = Readonly<Record<string, number>>;

/** A refusal whose reason the client sees. */
export class Fault extends Error {
  readonly code: Code;
  readonly fields: FieldMessages | undefined;
  readonly fieldCodes: FieldCodes | undefined;
  readonly messages: readonly string[];
  /** Which record stands in the way, by the name that references to it have. */
  readonly conflict: Conflict | undefined;

  /**
   * @param code what kind of refusal
   * @param messages full sentences for the client; the code's summary when empty
   * @param fields on a 422, the messages by field
   * @param conflict on a 422, which record stands in the way
   * @param fieldCodes on a 422, the codes of the messages by field
   */
  constructor(
    code: Code,
    messages: readonly string[] = [],
    fields?: FieldMessages,
    conflict?: Conflict,
    fieldCodes?: FieldCodes,
  ) {
    const sentences = messages.length > 0 ? messages : [codes[code].summary];
    super(sentences.join('; '));
    this.name = 'Fault';
    this.code = code;
    this.messages = sentences;
    this.fields = fields;
    this.fieldCodes = fieldCodes;
    this.conflict = conflict;
  }
}

/** A contact that there is no more, because it was merged into another. */
export class MergedContact extends Fault {
  /** The id of the contact that is left. */
  readonly into: number;

  constructor(into: number) {
    super('NOT_FOUND');
    this.into = into;
  }
}

/** Statuses of refusals that the same request may not get when it is sent again. */
const passing: readonly number[] = [401, 403, 408, 409, 429];

/** Whether a request that was refused with this code would be so again, so that the refusal is its answer. */
export const isFinal = (code: Code): boolean => {
  const { status } = codes[code];
  return status < 500 && !passing.includes(status);
};

/** A refusal of what a token was not given, though its user may do it. */
export class InsufficientScope extends Fault {
  /** What it lacks. */
  readonly scopes: readonly string[];

  /** @param scopes at least one */
  constructor(scopes: readonly string[]) {
    const what = scopes.length === 1 ? 'scope' : 'scopes';
    super('INSUFFICIENT_SCOPE', [`The token lacks the ${what} ${scopes.join(', ')}`]);
    this.scopes = scopes;
  }
}

/** A refusal for a while. */
export class TooMany extends Fault {
  /** After how many seconds another attempt is worthwhile. */
  readonly seconds: number;

  /** @param message that too many attempts failed, unless given */
  constructor(seconds: number, message = failed(seconds)) {
    super('TOO_MANY_REQUESTS', [message]);
    this.seconds = seconds;
  }
}

function failed(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return `Too many attempts failed: try again in ${minutes} minute${minutes === 1 ? '' : 's'}`;
}

/** What is wrong with a part of a request whose name only the client knows. */
export interface UnknownInput {
  readonly name: string;
  readonly message: Problem;
}

/** At most this many unknown names are reported: a client that sends more has mistaken more than a name. */
export const maxNamed = 100;

/** Collects everything that is wrong with a request, to report it together. */
export class Faults {
  /** Undefined while nothing is wrong, as in most requests. */
  #problems: Record<string, Problem[]> | undefined;
  readonly #code: CodeWithFields;
  #conflict: Conflict | undefined;
  /** Names that are not fields: sentences repeat them as they were sent. */
  #foreign: Set<string> | undefined;

  /** @param misplaced what is known to be wrong from the beginning */
  constructor(code: CodeWithFields = 'VALIDATION_FAILED', misplaced: readonly UnknownInput[] = []) {
    this.#code = code;
    for (const part of misplaced) this.addMisplaced(part);
  }

  addMisplaced({ name, message }: UnknownInput): void {
    (this.#foreign ??= new Set()).add(name);
    this.add(name, message);
  }

  /** @param problem the end of a sentence about the field, and its code */
  add(field: string, problem: Problem): void {
    // No prototype: a client chooses these names, `__proto__` among them.
    const problems: Record<string, Problem[]> = (this.#problems ??= Object.create(null));
    const known = (problems[field] ??= []);
    const message = messageOf(problem);
    if (!known.some((one) => messageOf(one) === message)) known.push(problem);
  }

  /**
   * Reports a value that no two records may have.
   * @param holder the conflicting record, if the client may see it; the first one is reported
   */
  addTaken(field: string, holder: Conflict | undefined): void {
    this.add(field, alreadyTaken);
    this.#conflict ??= holder;
  }

  /** Adds what is wrong with a part of the request. */
  addAll(others: Faults, prefix: string): void {
    this.#conflict ??= others.#conflict;
    for (const [field, problems] of Object.entries(others.#problems ?? {})) {
      const name = prefix + field;
      const isForeign = others.#foreign?.has(field);
      for (const message of problems) {
        if (isForeign) this.addMisplaced({ name, message });
        else this.add(name, message);
      }
    }
  }

  /** Adds what a refusal says of fields, as when a part of the request is read by itself. */
  addFault({ fields = {}, fieldCodes = {} }: Fault): void {
    for (const [field, messages] of Object.entries(fields)) {
      messages.forEach((message, at) => {
        const code = fieldCodes[field]?.[at];
        this.add(field, code === undefined ? message : coded(code, message));
      });
    }
  }

  has(field: string): boolean {
    return this.#problems?.[field] !== undefined;
  }

  get any(): boolean {
    return this.#problems !== undefined;
  }

  /** @throws {Fault} with every message collected, if there are any */
  throwIfAny(): void {
    if (this.any) throw this.fault();
  }

  /** A refusal with every message collected. */
  fault(): Fault {
    const fields: Record<string, readonly string[]> = Object.create(null);
    const fieldCodes: Record<string, readonly FieldCode[]> = Object.create(null);
    const sentences: string[] = [];
    for (const [field, problems] of Object.entries(this.#problems ?? {})) {
      const messages = problems.map(messageOf);
      const isRepeated = this.#code === 'INVALID_SEARCH' || this.#foreign?.has(field);
      fields[field] = messages;
      fieldCodes[field] = problems.map(codeOf);
      for (const message of messages) {
        sentences.push(isRepeated ? `${field || '""'}: ${message}` : sentence(field, message));
      }
    }
    return new Fault(this.#code, sentences, fields, this.#conflict, fieldCodes);
  }
}

/** A refusal for one field. */
export function invalid(field: string, problem: Problem, code?: CodeWithFields): Fault {
  const faults = new Faults(code);
  faults.add(field, problem);
  return faults.fault();
}

/** `stage_id`, `must exist` → `Stage must exist`. */
function sentence(field: string, message: string): string {
  const words = field.replace(/_id$/, '').replace(/[._]+/g, ' ').trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} ${message}`;
}

export const notFound = () => new Fault('NOT_FOUND');

/** Why a record that has changed since the caller read it is neither changed nor removed. */
export const changedSince = 'The record has changed since it was read';

/** @param messages why a record is neither changed nor removed, in full sentences */
export const preconditionFailed = (messages: readonly string[] = [changedSince]) =>
  new Fault('PRECONDITION_FAILED', messages);

/**
 * A refusal of a path that does not exist.
 * @param meant what may have been meant, as the end of a sentence
 */
export const noRoute = (meant = '') => new Fault('NO_ROUTE', [`No such route${meant}`]);

/** @param max bytes that a request's body may have */
export const tooLarge = (max: number) =>
  new Fault('PAYLOAD_TOO_LARGE', [
    `The request body must not have more than ${max.toLocaleString('en')} bytes, unpacked`,
  ]);

export const notJson = () =>
  new Fault('UNSUPPORTED_MEDIA_TYPE', ['Content-Type must be application/json']);
export const forbidden = () => new Fault('FORBIDDEN');
/** The same for whatever is wrong with a token, or with how it was sent. */
export const unauthenticated = () =>
  new Fault('UNAUTHENTICATED', ['A valid token is needed, sent as Authorization: Bearer <token>']);
/** The same for whatever is wrong with a session, and where there is none. */
export const signedOut = () =>
  new Fault('UNAUTHENTICATED', ['Nobody is signed in here: there is no session, or it has ended']);
