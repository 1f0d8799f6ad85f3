/** One resolver for each root field: it unpacks the arguments and calls one use case. */
import type { Context } from '../context/context.ts';
import type { Selection } from '../db/sql/shape.ts';
import type { Resolvers } from '../generated/graphql.ts';
import { getAccount } from '../resources/accounts/get.ts';
import { updateAccount } from '../resources/accounts/update.ts';
import { listAuditEntries } from '../resources/audit/list.ts';
import { listChanges } from '../resources/changes/list.ts';
import { batchContacts } from '../resources/contacts/batch.ts';
import { deleteContact } from '../resources/contacts/delete.ts';
import { contacts } from '../resources/contacts/record.ts';
import { upsertContact } from '../resources/contacts/upsert.ts';
import { createContact, updateContact } from '../resources/contacts/write.ts';
import { pipelineBoard } from '../resources/dashboards/board.ts';
import { pipelineFunnel } from '../resources/dashboards/funnel.ts';
import { listLabels } from '../resources/dashboards/labels.ts';
import { summariseDeals } from '../resources/dashboards/summary.ts';
import { contactTimeline } from '../resources/dashboards/timeline.ts';
import { addAssignee, removeAssignee } from '../resources/deal_assignees/verbs.ts';
import { batchDealProducts } from '../resources/deal_products/batch.ts';
import { createDealProduct } from '../resources/deal_products/create.ts';
import { deleteDealProduct } from '../resources/deal_products/delete.ts';
import { deal_products } from '../resources/deal_products/record.ts';
import { updateDealProduct } from '../resources/deal_products/update.ts';
import { batchDeals } from '../resources/deals/batch.ts';
import { createDeal } from '../resources/deals/create.ts';
import { deleteDeal } from '../resources/deals/delete.ts';
import { deals } from '../resources/deals/record.ts';
import { updateDeal } from '../resources/deals/update.ts';
import { upsertDeal } from '../resources/deals/upsert.ts';
import { eraseContact } from '../resources/erasures/erase.ts';
import { batchEvents } from '../resources/events/batch.ts';
import { events } from '../resources/events/record.ts';
import {
  createContactEvent,
  createDealEvent,
  deleteEvent,
  updateEvent,
} from '../resources/events/verbs.ts';
import type { BatchArguments } from '../resources/kernel/batch/request.ts';
import type { RunBatch } from '../resources/kernel/batch/run.ts';
import type { Input } from '../resources/kernel/fields/input.ts';
import type { SearchArguments } from '../resources/kernel/read/page.ts';
import { type Get, getting, type List, searching } from '../resources/kernel/read/read.ts';
import type { Remove, Update } from '../resources/kernel/write/write.ts';
import { listPipelines } from '../resources/pipelines/list.ts';
import { pipelines } from '../resources/pipelines/record.ts';
import { createPipeline, deletePipeline, updatePipeline } from '../resources/pipelines/verbs.ts';
import { batchProducts } from '../resources/products/batch.ts';
import { products } from '../resources/products/record.ts';
import { createProduct, deleteProduct, updateProduct } from '../resources/products/verbs.ts';
import { deleteSession } from '../resources/sessions/end.ts';
import { listSessions } from '../resources/sessions/list.ts';
import { stages } from '../resources/stages/record.ts';
import { createStage, deleteStage, updateStage } from '../resources/stages/verbs.ts';
import { createToken } from '../resources/tokens/create.ts';
import { getToken, listTokens } from '../resources/tokens/read.ts';
import { deleteToken } from '../resources/tokens/revoke.ts';
import { revertChanges } from '../resources/undo/revert.ts';
import { changePassword } from '../resources/users/change_password.ts';
import { createUser } from '../resources/users/create.ts';
import { deleteUser } from '../resources/users/delete.ts';
import { inviteUser } from '../resources/users/invite.ts';
import { getMe, type MeSelection } from '../resources/users/me.ts';
import { users } from '../resources/users/record.ts';
import { makeSignInLink } from '../resources/users/sign_in_link.ts';
import { updateUser } from '../resources/users/update.ts';
import { listDeliveries, retryDelivery, testWebhook } from '../resources/webhooks/deliveries.ts';
import { webhooks } from '../resources/webhooks/record.ts';
import { replayWebhook } from '../resources/webhooks/replay.ts';
import {
  createWebhook,
  deleteWebhook,
  rotateSecret,
  updateWebhook,
} from '../resources/webhooks/verbs.ts';
import { type Asked, namesIn, selectionOf } from './selection/selection.ts';
import { type Conditional, expecting, itself, noting, telling } from './selection/version.ts';

interface Account {
  readonly account_id: unknown;
}

interface One extends Account {
  readonly id: unknown;
}

interface Sent extends Account {
  readonly input: Input;
}

const record =
  (get: Get) =>
  (_: unknown, { account_id, id }: One, ctx: Context, info: Asked) =>
    telling(ctx, info, itself, (selection) => get(ctx, account_id, id, selection));

const page =
  (search: List) => (_: unknown, given: Account & SearchArguments, ctx: Context, info: Asked) =>
    search(ctx, given.account_id, given, selectionOf(info, ['data']));

const showing = new WeakSet<object>();

/**
 * Resolvers of which nobody looks into the records that they return, so that these may come as an
 * answer shows them.
 */
function shown<R extends object>(resolve: R): R {
  showing.add(resolve);
  return resolve;
}

/** Whether the records of a root field may come as an answer shows them. */
export function isShown(field: string): boolean {
  const all = [resolvers.Query, resolvers.Mutation].flatMap((of) => Object.entries(of ?? {}));
  const [, resolve] = all.find(([name]) => name === field) ?? [];
  return resolve !== undefined && showing.has(resolve);
}

const one = (get: Get) => shown(record(get));
const many = (search: List) => shown(page(search));

type Create<T> = (c: Context, account: unknown, input: Input, selection: Selection) => Promise<T>;

/** @param path fields between what is returned and the record in it */
const issued =
  <T>(create: Create<T>, path = itself) =>
  (_: unknown, { account_id, input }: Sent, ctx: Context, info: Asked) =>
    telling(ctx, info, path, (selection) => create(ctx, account_id, input, selection));

const created = <T>(...creation: Parameters<typeof issued<T>>) => shown(issued(...creation));

const updated = (update: Update) =>
  shown((_: unknown, given: One & Sent & Conditional, ctx: Context, info: Asked) =>
    telling(ctx, info, itself, (selection) =>
      update(expecting(ctx, given), given.account_id, given.id, given.input, selection),
    ),
  );

const deleted = (remove: Remove) => (_: unknown, given: One & Conditional, ctx: Context) =>
  remove(expecting(ctx, given), given.account_id, given.id);

const batch =
  (run: RunBatch) =>
  (_: unknown, { account_id, ...given }: Account & BatchArguments, ctx: Context) =>
    run(ctx, account_id, given);

const meIn = (info: Asked): MeSelection => ({
  user: selectionOf(info, ['user']),
  token: namesIn(info).has('token') ? selectionOf(info, ['token']) : undefined,
  // The use case looks into it.
  session: namesIn(info).has('session')
    ? selectionOf({ ...info, isShown: false }, ['session'])
    : undefined,
});

export const resolvers: Resolvers = {
  Query: {
    account: (_, { account_id }, ctx) => noting(ctx, getAccount(ctx, account_id)),
    me: shown((_, { account_id }, ctx, info) =>
      telling(ctx, info, ['user'], (user) => getMe(ctx, account_id, { ...meIn(info), user })),
    ),
    contact: one(getting(contacts)),
    contacts: many(searching(contacts)),
    deal: one(getting(deals)),
    deals: many(searching(deals)),
    deal_product: one(getting(deal_products)),
    deal_products: many(searching(deal_products)),
    product: one(getting(products)),
    products: many(searching(products)),
    pipeline: one(getting(pipelines)),
    pipelines: many(searching(pipelines)),
    all_pipelines: shown((_, { account_id }, ctx, info) =>
      listPipelines(ctx, account_id, selectionOf(info, ['data'], 'complete')),
    ),
    stage: one(getting(stages)),
    stages: many(searching(stages)),
    event: one(getting(events)),
    events: many(searching(events)),
    user: one(getting(users)),
    users: many(searching(users)),
    token: one(getToken),
    tokens: many(listTokens),
    sessions: page(listSessions),
    audit_entries: many(listAuditEntries),
    changes: (_, { account_id, ...given }, ctx) => listChanges(ctx, account_id, given),
    webhook: one(getting(webhooks)),
    webhooks: many(searching(webhooks)),
    webhook_deliveries: (_, given, ctx, info) =>
      listDeliveries(ctx, given.account_id, given.webhook_id, given, selectionOf(info, ['data'])),
    deals_summary: (_, given, ctx, info) =>
      summariseDeals(ctx, given.account_id, given, namesIn(info)),
    pipeline_board: shown((_, given, ctx, info) =>
      pipelineBoard(ctx, given.account_id, given.pipeline_id, given, {
        pipeline: selectionOf(info, ['pipeline']),
        stage: selectionOf(info, ['stages', 'stage']),
        deals: namesIn(info, ['stages']).has('deals')
          ? selectionOf(info, ['stages', 'deals'])
          : undefined,
      }),
    ),
    pipeline_funnel: (_, given, ctx) =>
      pipelineFunnel(ctx, given.account_id, given.pipeline_id, given),
    labels: (_, given, ctx) => listLabels(ctx, given.account_id, given),
    contact_timeline: shown((_, given, ctx, info) =>
      contactTimeline(ctx, given.account_id, given.contact_id, given, selectionOf(info, ['data'])),
    ),
  },
  Mutation: {
    update_account: (_, { account_id, input, ...given }, ctx) =>
      noting(ctx, updateAccount(expecting(ctx, given), account_id, input)),
    create_contact: created(createContact),
    upsert_contact: created(upsertContact, ['contact']),
    update_contact: updated(updateContact),
    delete_contact: deleted(deleteContact),
    batch_contacts: batch(batchContacts),
    erase_contact: (_, { account_id, id }, ctx) => eraseContact(ctx, account_id, id),
    create_deal: created(createDeal),
    upsert_deal: created(upsertDeal, ['deal']),
    update_deal: updated(updateDeal),
    delete_deal: deleted(deleteDeal),
    batch_deals: batch(batchDeals),
    create_deal_assignee: created(addAssignee),
    delete_deal_assignee: deleted(removeAssignee),
    create_deal_product: created(createDealProduct),
    update_deal_product: updated(updateDealProduct),
    delete_deal_product: deleted(deleteDealProduct),
    batch_deal_products: batch(batchDealProducts),
    create_product: created(createProduct),
    update_product: updated(updateProduct),
    delete_product: deleted(deleteProduct),
    batch_products: batch(batchProducts),
    create_pipeline: created(createPipeline),
    update_pipeline: updated(updatePipeline),
    delete_pipeline: deleted(deletePipeline),
    create_stage: created(createStage),
    update_stage: updated(updateStage),
    delete_stage: deleted(deleteStage),
    create_deal_event: shown((_, { account_id, deal_id, input }, ctx, info) =>
      telling(ctx, info, itself, (selection) =>
        createDealEvent(ctx, account_id, deal_id, input, selection),
      ),
    ),
    create_contact_event: shown((_, { account_id, contact_id, input }, ctx, info) =>
      telling(ctx, info, itself, (selection) =>
        createContactEvent(ctx, account_id, contact_id, input, selection),
      ),
    ),
    update_event: updated(updateEvent),
    delete_event: deleted(deleteEvent),
    batch_events: batch(batchEvents),
    create_user: created(createUser),
    invite_user: (_, { account_id, input }, ctx, info) =>
      inviteUser(ctx, account_id, input, selectionOf(info, ['user'])),
    create_sign_in_link: (_, { account_id, user_id }, ctx) =>
      makeSignInLink(ctx, account_id, user_id),
    update_user: updated(updateUser),
    delete_user: (_, { account_id, id, ...given }, ctx) =>
      deleteUser(expecting(ctx, given), account_id, id, given),
    create_token: issued(createToken, ['token']),
    delete_token: deleted(deleteToken),
    change_password: shown(async (_, { account_id, input }, ctx, info) => {
      await changePassword(ctx, account_id, input);
      return getMe(ctx, account_id, meIn(info));
    }),
    delete_session: deleted(deleteSession),
    revert_changes: (_, { account_id, input }, ctx) => revertChanges(ctx, account_id, input),
    create_webhook: issued(createWebhook, ['webhook']),
    update_webhook: updated(updateWebhook),
    delete_webhook: deleted(deleteWebhook),
    rotate_webhook_secret: (_, { account_id, id }, ctx, info) =>
      telling(ctx, info, ['webhook'], (selection) => rotateSecret(ctx, account_id, id, selection)),
    test_webhook: record(testWebhook),
    retry_webhook_delivery: record(retryDelivery),
    replay_webhook: (_, { account_id, id, input }, ctx) =>
      replayWebhook(ctx, account_id, id, input),
  },
};
