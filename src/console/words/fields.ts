/** What the fields of records are called: in the audit log, before changes are taken back, in imports. */
import { type Words, words } from './words.ts';

/** Names of fields, by what the service calls them; a reference is called what it leads to. */
const fieldNames = (said: Words): Readonly<Record<string, string>> => {
  const { account, contacts, deals, fields, pipelines, products, records, timeline } = said;
  const { sessions, tokens, users, webhooks } = said;
  return {
    additional_attributes: fields.additional,
    amount: products.price,
    amount_in_cents: fields.inCents(products.price),
    auto_done: fields.autoDone,
    avatar_url: fields.avatar,
    contact: contacts.one,
    content: fields.content,
    created_at: records.created,
    created_by: deals.creator,
    custom_attributes: records.attributes,
    deal: deals.one,
    default_country: account.country,
    description: products.description,
    done: timeline.done,
    done_at: fields.doneOn,
    email: contacts.email,
    enabled: webhooks.isOn,
    events: webhooks.events,
    expires_at: tokens.lifetime,
    first_name: fields.firstName,
    from_me: fields.fromMe,
    full_name: records.name,
    identifier: products.identifier,
    ip: sessions.address,
    job_description: users.job,
    kind: fields.kind,
    label_list: records.labels,
    language: users.language,
    last_name: fields.lastName,
    lost_at: deals.lostOn,
    lost_reason: fields.lostReason,
    name: records.name,
    phone: contacts.phone,
    pipeline: records.pipeline,
    position: fields.place,
    positions: fields.order,
    product: deals.product,
    product_identifier: fields.inDeal(products.identifier),
    product_name: fields.inDeal(records.name),
    quantity: deals.quantity,
    quantity_available: products.available,
    rests_after_days: pipelines.restsAfter,
    revoked_at: fields.revokedOn,
    role: users.role,
    scheduled_at: timeline.when,
    scopes: tokens.scopes,
    stage: records.stage,
    status: records.status,
    time_zone: account.timeZone,
    currency: account.currency,
    theme_preference: fields.theme,
    title: fields.title,
    total_amount_in_cents: fields.inCents(deals.total),
    total_deal_products_amount_in_cents: fields.inCents(deals.amount),
    unit_amount: products.price,
    unit_amount_in_cents: fields.inCents(products.price),
    updated_at: fields.updated,
    url: webhooks.url,
    user: users.one,
    user_agent: sessions.browser,
    webpush_notify_on_event_expired: users.notify,
    won_at: deals.wonOn,
  };
};

/**
 * A field in words.
 * @param path such as `email`, `contact.email` or `custom_attributes.city`
 * @returns what it is called; `path` itself where nobody but programs reads and writes it
 */
export function fieldName(path: string, said: Words = words.value): string {
  const [, first = '', rest] = /^(\w+?)(?:_id)?(?:\.(.*))?$/s.exec(path) ?? [];
  const name = fieldNames(said)[first];
  if (name === undefined) return path;
  if (rest === undefined) return name;
  return `${name}: ${first === 'custom_attributes' ? rest : fieldName(rest, said)}`;
}
