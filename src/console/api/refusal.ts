/** What the service refused, or why it could not be asked. */

/** Messages by field, the field named as it was sent. */
export type FieldMessages = Readonly<Record<string, readonly string[]>>;

/** The record that holds a value which has to be unique, such as `{contact_id: 7}`. */
export type Holder = Readonly<Record<string, number>>;

export class Refusal extends Error {
  /** A code of the service's errors; `OFFLINE` when no answer came. */
  readonly code: string;
  /** Sentences in English, as the service has them. */
  readonly messages: readonly string[];
  readonly fields: FieldMessages;
  /** The one that stands in the way, where the person may see it. */
  readonly holder: Holder | undefined;

  constructor(
    code: string,
    messages: readonly string[] = [],
    fields: FieldMessages = {},
    holder?: Holder,
  ) {
    super(messages.join('; ') || code);
    this.name = 'Refusal';
    this.code = code;
    this.messages = messages;
    this.fields = fields;
    this.holder = holder;
  }
}

/** Anything thrown, as a refusal; anything but a refusal is an error of the console's own. */
export const asRefusal = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal('INTERNAL_SERVER_ERROR', [String(error)]);

/** Of a field that must not be empty, before the service is asked. */
export const blank = (field: string): Refusal =>
  new Refusal('VALIDATION_FAILED', [], { [field]: ["can't be blank"] });
