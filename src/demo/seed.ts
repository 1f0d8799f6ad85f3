import { randomBytes } from 'node:crypto';
import type { Keys } from '../auth/keys.ts';
import { everything } from '../auth/scopes.ts';
import { type Context, operating } from '../context/context.ts';
import type { Database } from '../db/database.ts';
import { insertAccount } from '../resources/accounts/create.ts';
import { createContact } from '../resources/contacts/write.ts';
import { createDealProduct } from '../resources/deal_products/create.ts';
import { createDeal } from '../resources/deals/create.ts';
import { createContactEvent } from '../resources/events/verbs.ts';
import type { Input } from '../resources/kernel/fields/input.ts';
import { idAlone } from '../resources/kernel/read/record.ts';
import { type RecordResult, valuesOf } from '../resources/kernel/read/record_result.ts';
import { backdate } from '../resources/kernel/write/backdate.ts';
import type { Create } from '../resources/kernel/write/write.ts';
import { insertPipeline } from '../resources/pipelines/insert.ts';
import { createProduct } from '../resources/products/verbs.ts';
import { resources } from '../resources/shapes.ts';
import { issueFor } from '../resources/tokens/issue.ts';
import { insertUser } from '../resources/users/create.ts';
import { demo } from './data.ts';

export interface SeedResult {
  readonly account_id: number;
  readonly admin: string;
  readonly member: string;
  readonly pipeline_id: number;
  /** The admin's. */
  readonly token: string;
}

export interface SeedOptions {
  readonly keys: Keys;
  /** Lifetime of the token in seconds; null: for ever. */
  readonly tokenTtl: number | null;
  readonly now: Date;
}

const dayMs = 86_400_000;

/**
 * Creates the demo account with everything in it, by the rules that clients are held to, in one
 * transaction: it exists completely or not at all.
 * @throws {Fault} VALIDATION_FAILED when it already exists
 */
export async function seed(database: Database, options: SeedOptions): Promise<SeedResult> {
  return database.transaction((tx) => fill(tx.asDatabase, options));
}

async function fill(db: Database, { keys, tokenTtl, now }: SeedOptions): Promise<SeedResult> {
  const requestId = 'seed';
  const account = await insertAccount({ db, now, requestId }, demo.account);
  const setup = operating({ db, now, requestId }, account.id);
  const adminId = idOf(await insertUser(setup, { ...person(demo.admin), role: 'admin' }, idAlone));
  await insertUser(setup, person(demo.member), idAlone);
  const signing = { keys, ttl: tokenTtl };
  const ctx: Context = { ...setup, signing, viewer: { ...setup.viewer, userId: adminId } };
  const pipeline = await insertPipeline(ctx, demo.pipeline.name, demo.pipeline.stages);
  const create = async (how: Create, input: Input) =>
    idOf(await how(ctx, account.id, input, idAlone));

  const contacts = new Map<string, number>();
  for (const contact of demo.contacts) {
    contacts.set(contact.full_name, await create(createContact, contact));
  }
  for (const { contact, ...note } of demo.notes) {
    const input = { ...note, kind: 'note' };
    await createContactEvent(ctx, account.id, contacts.get(contact), input, idAlone);
  }
  const products = new Map<string, number>();
  for (const product of demo.products) {
    products.set(product.identifier, await create(createProduct, product));
  }
  const begun = { contacts: new Map<number, string>(), deals: new Map<number, string>() };
  for (const { contact, stage, products: attached, days_ago, ...deal } of demo.deals) {
    const dealId = await create(createDeal, {
      ...deal,
      contact_id: contacts.get(contact),
      stage_id: pipeline.stages.find(({ name }) => name === stage)?.id,
    });
    const at = new Date(now.getTime() - days_ago * dayMs).toISOString();
    begun.contacts.set(contacts.get(contact) ?? 0, at);
    begun.deals.set(dealId, at);
    for (const { identifier, quantity } of attached) {
      const product_id = products.get(identifier);
      await create(createDealProduct, { deal_id: dealId, product_id, quantity });
    }
  }
  // What closes as it begins would have taken no time in the dashboard.
  await backdate(ctx, resources.contacts, begun.contacts);
  await backdate(ctx, resources.deals, begun.deals);
  const scopes = everything.given;
  const { token } = await db.transaction((tx) =>
    issueFor({ ...setup, db: tx }, { userId: adminId, name: 'demo', scopes, ttl: tokenTtl, keys }),
  );
  return {
    account_id: account.id,
    admin: demo.admin.email,
    member: demo.member.email,
    pipeline_id: pipeline.id,
    token,
  };
}

/** A user with a random password: nobody signs in with one, so nobody needs to know it. */
function person(user: { readonly email: string; readonly full_name: string }): Input {
  const password = randomBytes(18).toString('base64url');
  return { ...user, password, password_confirmation: password };
}

function idOf(record: RecordResult): number {
  const { id } = valuesOf(record);
  if (typeof id === 'number') return id;
  throw new Error('a created record has no id');
}
