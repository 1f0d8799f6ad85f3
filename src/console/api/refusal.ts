/** What the service refused, or why it could not be asked. */

/** Messages by field, the field named as it was sent. */
export type FieldMessages = Readonly<Record<string, readonly string[]>>;

export class Refusal extends Error {
  /** A code of the service's errors; `OFFLINE` when no answer came. */
  readonly code: string;
  /** Sentences in English, as the service has them. */
  readonly messages: readonly string[];
  readonly fields: FieldMessages;

  constructor(code: string, messages: readonly string[] = [], fields: FieldMessages = {}) {
    super(messages.join('; ') || code);
    this.name = 'Refusal';
    this.code = code;
    this.messages = messages;
    this.fields = fields;
  }
}

/** Anything thrown, as a refusal; anything but a refusal is an error of the console's own. */
export const asRefusal = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal('INTERNAL_SERVER_ERROR', [String(error)]);
