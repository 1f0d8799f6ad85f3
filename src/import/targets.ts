/**
 * What a column may become, for each kind of record: its fields, keys of its custom attributes, and what
 * says which other record it belongs to.
 */

export const importable = ['contacts', 'deals', 'products', 'deal_products', 'events'] as const;
export type Importable = (typeof importable)[number];

/**
 * How a cell is read: a text (several columns are joined), labels (so are these), a number of units as
 * people write it (`1.234,56`), which is stored in cents, a moment, free-form JSON, yes or no, an integer, a
 * phone or another code of digits, one of a list of words, or as it is.
 */
export type Kind =
  | 'text'
  | 'labels'
  | 'amount'
  | 'moment'
  | 'json'
  | 'flag'
  | 'integer'
  | 'phone'
  | 'code'
  | 'word'
  | 'plain';

/**
 * Other records that one belongs to, each behind those that narrow it down, and what of them may say which
 * is meant, the surest first.
 */
type Parents = Readonly<Record<string, readonly string[]>>;

interface Form {
  readonly field: string;
  readonly kind: Kind;
  /** Where it stands in the field's text, the field's own column being 0. */
  readonly rank?: number;
}

interface Description {
  readonly fields: Readonly<Record<string, Kind>>;
  /** What a file may hold in place of a field: what it is called, and how that becomes the field. */
  readonly forms?: Readonly<Record<string, Form>>;
  readonly parents: Parents;
  /** What a row may say of a product that it brings with it, a record of its own, besides which product it is. */
  readonly line?: Pick<Description, 'fields' | 'forms'>;
}

/** Any key of the parent's custom attributes, such as the id that it had elsewhere. */
const attribute = 'custom_attributes.';

const contact = [attribute, 'email', 'phone', 'full_name'];
const product = [attribute, 'identifier', 'name'];

const price: Form = { field: 'unit_amount_in_cents', kind: 'amount' };

export const descriptions: Readonly<Record<Importable, Description>> = {
  contacts: {
    fields: {
      full_name: 'text',
      email: 'plain',
      phone: 'phone',
      label_list: 'labels',
      custom_attributes: 'json',
    },
    forms: {
      first_name: { field: 'full_name', kind: 'text', rank: -1 },
      last_name: { field: 'full_name', kind: 'text', rank: 1 },
    },
    parents: {},
  },
  deals: {
    fields: {
      name: 'text',
      status: 'word',
      stage_id: 'integer',
      pipeline_id: 'integer',
      contact_id: 'integer',
      position: 'integer',
      lost_reason: 'text',
      lost_at: 'moment',
      won_at: 'moment',
      custom_attributes: 'json',
    },
    parents: { pipeline: ['name'], stage: ['name'], contact, product },
    line: {
      fields: { quantity: 'integer', unit_amount_in_cents: 'integer' },
      forms: { unit_amount: price },
    },
  },
  products: {
    fields: {
      identifier: 'code',
      name: 'text',
      description: 'text',
      amount_in_cents: 'integer',
      quantity_available: 'integer',
      custom_attributes: 'json',
    },
    forms: { amount: { field: 'amount_in_cents', kind: 'amount' } },
    parents: {},
  },
  deal_products: {
    fields: {
      product_id: 'integer',
      deal_id: 'integer',
      quantity: 'integer',
      unit_amount_in_cents: 'integer',
      product_name: 'text',
      product_identifier: 'code',
    },
    forms: { unit_amount: price },
    parents: { deal: [attribute, 'name'], product },
  },
  events: {
    fields: {
      kind: 'word',
      title: 'text',
      content: 'text',
      scheduled_at: 'moment',
      done: 'flag',
      done_at: 'moment',
      auto_done: 'flag',
      custom_attributes: 'json',
      additional_attributes: 'json',
      contact_id: 'integer',
      deal_id: 'integer',
    },
    parents: { contact, deal: [attribute, 'name'] },
  },
};

/** How a field is read by which a parent is looked for, where it is not a text. */
const identifying: Readonly<Record<string, Kind>> = { phone: 'phone', identifier: 'code' };

/** What a column becomes. */
export interface Target {
  /** As it is written: `full_name`, `custom_attributes.city`, `contact.email`. */
  readonly name: string;
  /** The field of the record; for a parent the reference to it. */
  readonly field: string;
  readonly kind: Kind;
  /** See {@link Form}. */
  readonly rank: number;
  /** The key of an attribute. */
  readonly key?: string;
  /** Which parent it says, and by which of its fields. */
  readonly parent?: { readonly name: string; readonly by: string };
}

/**
 * @param isOwn whether the moment of creation may be given, as it may where an operator imports
 * @returns the target of a name; undefined where records of this kind have none
 */
export function targetOf(records: Importable, name: string, isOwn: boolean): Target | undefined {
  const { fields, forms, parents, line } = descriptions[records];
  const kind =
    name === 'created_at' && isOwn ? 'moment' : own({ ...fields, ...line?.fields }, name);
  if (kind) return { name, field: name, kind, rank: 0 };
  const form = own({ ...forms, ...line?.forms }, name);
  if (form) return { name, rank: 0, ...form };
  const [, before = '', after = ''] = /^(\w+)\.(.+)$/.exec(name) ?? [];
  const part = { name, kind: 'plain', rank: 0 } as const;
  if (own(fields, before) === 'json') return { ...part, field: before, key: after };
  const by = own(parents, before);
  if (!by?.some((one) => one === after || (one === attribute && after.startsWith(one))))
    return undefined;
  const target = { field: `${before}_id`, parent: { name: before, by: after } };
  return {
    ...part,
    ...target,
    kind: after.startsWith(attribute) ? 'code' : (own(identifying, after) ?? 'plain'),
  };
}

/** Whether a target says something of the product that a row brings with it, but not which one. */
export function isOfLine(records: Importable, name: string): boolean {
  const { line } = descriptions[records];
  return own({ ...line?.fields, ...line?.forms }, name) !== undefined;
}

/** All that a column may become, but for keys of attributes. */
export function targetsOf(records: Importable, isOwn: boolean): readonly string[] {
  const { fields, forms, parents, line } = descriptions[records];
  const targets = Object.entries(parents).flatMap(([name, by]) =>
    by.filter((one) => one !== attribute).map((one) => `${name}.${one}`),
  );
  return [
    ...Object.keys(forms ?? {}),
    ...Object.keys(fields),
    ...(isOwn ? ['created_at'] : []),
    ...targets,
    ...Object.keys({ ...line?.fields, ...line?.forms }),
  ];
}

/** See {@link Parents}. */
export const parentsOf = (
  records: Importable,
): readonly { readonly parent: string; readonly by: readonly string[] }[] =>
  Object.entries(descriptions[records].parents).map(([parent, by]) => ({ parent, by }));

const own = <T>(of: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(of, name) ? of[name] : undefined;
