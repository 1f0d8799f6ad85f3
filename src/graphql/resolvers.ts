/** One resolver for each root field. */
import type { Resolvers } from '../generated/graphql.ts';
import { getAccount } from '../resources/accounts/get.ts';
import { updateAccount } from '../resources/accounts/update.ts';
import { listAuditEntries } from '../resources/audit/list.ts';
import { listChanges } from '../resources/changes/list.ts';
import { getContact } from '../resources/contacts/aliases.ts';
import { batchContacts } from '../resources/contacts/batch.ts';
import { deleteContact } from '../resources/contacts/delete.ts';
import { listDuplicates } from '../resources/contacts/duplicates.ts';
import { listLabels } from '../resources/contacts/label_counts.ts';
import { mergeContacts } from '../resources/contacts/merge.ts';
import { contacts } from '../resources/contacts/record.ts';
import { contactTimeline } from '../resources/contacts/timeline.ts';
import { upsertContact } from '../resources/contacts/upsert.ts';
import { createContact, updateContact } from '../resources/contacts/write.ts';
import { pipelineBoard } from '../resources/dashboards/board.ts';
import { summariseDeals } from '../resources/dashboards/deals_summary.ts';
import { pipelineForecast } from '../resources/dashboards/forecast.ts';
import { pipelineFunnel } from '../resources/dashboards/funnel.ts';
import { summarise } from '../resources/dashboards/summary.ts';
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
import { find } from '../resources/finding/find.ts';
import { getting, searching } from '../resources/kernel/read/read.ts';
import { listPipelines } from '../resources/pipelines/list.ts';
import { pipelines } from '../resources/pipelines/record.ts';
import { createPipeline, deletePipeline, updatePipeline } from '../resources/pipelines/verbs.ts';
import { batchProducts } from '../resources/products/batch.ts';
import { products } from '../resources/products/record.ts';
import { createProduct, deleteProduct, updateProduct } from '../resources/products/verbs.ts';
import { createView, deleteView, listViews, updateView } from '../resources/saved_views/views.ts';
import { deleteSession } from '../resources/sessions/end.ts';
import { listSessions } from '../resources/sessions/list.ts';
import { stages } from '../resources/stages/record.ts';
import { createStage, deleteStage, updateStage } from '../resources/stages/verbs.ts';
import { createToken } from '../resources/tokens/create.ts';
import { getToken, listTokens } from '../resources/tokens/read.ts';
import { deleteToken } from '../resources/tokens/revoke.ts';
import { listDeletions } from '../resources/undo/deletions.ts';
import { restoring } from '../resources/undo/restore.ts';
import { revertChanges } from '../resources/undo/revert.ts';
import { changePassword } from '../resources/users/change_password.ts';
import { createUser } from '../resources/users/create.ts';
import { deleteUser } from '../resources/users/delete.ts';
import { inviteUser } from '../resources/users/invite.ts';
import { getMe } from '../resources/users/me.ts';
import { users } from '../resources/users/record.ts';
import { makeSignInLink } from '../resources/users/sign_in_link.ts';
import { updateUser } from '../resources/users/update.ts';
import { publicPushKey } from '../resources/web_push/key.ts';
import { subscribeWebPush, unsubscribeWebPush } from '../resources/web_push/subscribe.ts';
import { listDeliveries, retryDelivery, testWebhook } from '../resources/webhooks/deliveries.ts';
import { webhooks } from '../resources/webhooks/record.ts';
import { replayWebhook } from '../resources/webhooks/replay.ts';
import {
  createWebhook,
  deleteWebhook,
  rotateSecret,
  updateWebhook,
} from '../resources/webhooks/verbs.ts';
import {
  batchField,
  createField,
  createResolver,
  deleteField,
  isPassthroughResolver,
  meIn,
  pageField,
  pageResolver,
  passthrough,
  recordField,
  recordResolver,
  recordsIn,
  updateField,
} from './field_resolvers.ts';
import { namesIn, selectionOf } from './selection/selection.ts';
import { summaryShown } from './selection/summary.ts';
import { expectVersion, recordVersion, rootPath, withVersion } from './selection/version.ts';

/** Whether the records of a root field may come as an answer shows them. */
export function isPassthrough(field: string): boolean {
  const all = [resolvers.Query, resolvers.Mutation].flatMap((of) => Object.entries(of ?? {}));
  const [, resolve] = all.find(([name]) => name === field) ?? [];
  return resolve !== undefined && isPassthroughResolver(resolve);
}

export const resolvers: Resolvers = {
  Query: {
    account: (_, { account_id }, ctx) => recordVersion(ctx, getAccount(ctx, account_id)),
    me: passthrough((_, { account_id }, ctx, info) =>
      withVersion(ctx, info, ['user'], (user) => getMe(ctx, account_id, { ...meIn(info), user })),
    ),
    find: (_, { account_id, ...args }, ctx) => find(ctx, account_id, args),
    contact: recordField(getContact),
    contacts: pageField(searching(contacts)),
    deal: recordField(getting(deals)),
    deals: pageField(searching(deals)),
    deal_product: recordField(getting(deal_products)),
    deal_products: pageField(searching(deal_products)),
    product: recordField(getting(products)),
    products: pageField(searching(products)),
    pipeline: recordField(getting(pipelines)),
    pipelines: pageField(searching(pipelines)),
    all_pipelines: passthrough((_, { account_id }, ctx, info) =>
      listPipelines(ctx, account_id, selectionOf(info, ['data'], 'complete')),
    ),
    stage: recordField(getting(stages)),
    stages: pageField(searching(stages)),
    event: recordField(getting(events)),
    events: pageField(searching(events)),
    user: recordField(getting(users)),
    users: pageField(searching(users)),
    token: recordField(getToken),
    tokens: pageField(listTokens),
    sessions: pageResolver(listSessions),
    saved_views: (_, { account_id }, ctx) => listViews(ctx, account_id),
    web_push_key: (_, { account_id }, ctx) => publicPushKey(ctx, account_id),
    audit_entries: pageField(listAuditEntries),
    deleted_records: (_, { account_id, ...args }, ctx) => listDeletions(ctx, account_id, args),
    changes: (_, { account_id, ...args }, ctx) => listChanges(ctx, account_id, args),
    webhook: recordField(getting(webhooks)),
    webhooks: pageField(searching(webhooks)),
    webhook_deliveries: (_, args, ctx, info) =>
      listDeliveries(ctx, args.account_id, args.webhook_id, args, selectionOf(info, ['data'])),
    deals_summary: (_, args, ctx, info) =>
      summariseDeals(ctx, args.account_id, args, namesIn(info), recordsIn(info)),
    summary: (_, args, ctx, info) => summarise(ctx, args.account_id, args, summaryShown(info)),
    pipeline_board: passthrough((_, args, ctx, info) =>
      pipelineBoard(ctx, args.account_id, args.pipeline_id, args, {
        pipeline: selectionOf(info, ['pipeline']),
        stage: selectionOf(info, ['stages', 'stage']),
        deals: namesIn(info, ['stages']).has('deals')
          ? selectionOf(info, ['stages', 'deals'])
          : undefined,
      }),
    ),
    pipeline_funnel: (_, args, ctx) => pipelineFunnel(ctx, args.account_id, args.pipeline_id, args),
    pipeline_forecast: (_, args, ctx) =>
      pipelineForecast(ctx, args.account_id, args.pipeline_id, args),
    contact_duplicates: (_, args, ctx, info) =>
      listDuplicates(ctx, args.account_id, args, selectionOf(info, ['data', 'contacts'])),
    labels: (_, args, ctx) => listLabels(ctx, args.account_id, args),
    contact_timeline: passthrough((_, args, ctx, info) =>
      contactTimeline(ctx, args.account_id, args.contact_id, args, selectionOf(info, ['data'])),
    ),
  },
  Mutation: {
    update_account: (_, { account_id, input, ...args }, ctx) =>
      recordVersion(ctx, updateAccount(expectVersion(ctx, args), account_id, input)),
    create_contact: createField(createContact),
    upsert_contact: createField(upsertContact, ['contact']),
    update_contact: updateField(updateContact),
    delete_contact: deleteField(deleteContact),
    restore_contact: recordField(restoring('contact')),
    merge_contacts: updateField(mergeContacts),
    batch_contacts: batchField(batchContacts),
    erase_contact: (_, { account_id, id }, ctx) => eraseContact(ctx, account_id, id),
    create_deal: createField(createDeal),
    upsert_deal: createField(upsertDeal, ['deal']),
    update_deal: updateField(updateDeal),
    delete_deal: deleteField(deleteDeal),
    restore_deal: recordField(restoring('deal')),
    batch_deals: batchField(batchDeals),
    create_deal_assignee: createField(addAssignee),
    delete_deal_assignee: deleteField(removeAssignee),
    create_deal_product: createField(createDealProduct),
    update_deal_product: updateField(updateDealProduct),
    delete_deal_product: deleteField(deleteDealProduct),
    restore_deal_product: recordField(restoring('deal_product')),
    batch_deal_products: batchField(batchDealProducts),
    create_product: createField(createProduct),
    update_product: updateField(updateProduct),
    delete_product: deleteField(deleteProduct),
    restore_product: recordField(restoring('product')),
    batch_products: batchField(batchProducts),
    create_pipeline: createField(createPipeline),
    update_pipeline: updateField(updatePipeline),
    delete_pipeline: deleteField(deletePipeline),
    create_stage: createField(createStage),
    update_stage: updateField(updateStage),
    delete_stage: deleteField(deleteStage),
    create_deal_event: passthrough((_, { account_id, deal_id, input }, ctx, info) =>
      withVersion(ctx, info, rootPath, (selection) =>
        createDealEvent(ctx, account_id, deal_id, input, selection),
      ),
    ),
    create_contact_event: passthrough((_, { account_id, contact_id, input }, ctx, info) =>
      withVersion(ctx, info, rootPath, (selection) =>
        createContactEvent(ctx, account_id, contact_id, input, selection),
      ),
    ),
    update_event: updateField(updateEvent),
    delete_event: deleteField(deleteEvent),
    restore_event: recordField(restoring('event')),
    batch_events: batchField(batchEvents),
    create_user: createField(createUser),
    invite_user: (_, { account_id, input }, ctx, info) =>
      inviteUser(ctx, account_id, input, selectionOf(info, ['user'])),
    create_sign_in_link: (_, { account_id, user_id }, ctx) =>
      makeSignInLink(ctx, account_id, user_id),
    update_user: updateField(updateUser),
    delete_user: (_, { account_id, id, ...args }, ctx) =>
      deleteUser(expectVersion(ctx, args), account_id, id, args),
    create_token: createResolver(createToken, ['token']),
    delete_token: deleteField(deleteToken),
    change_password: passthrough(async (_, { account_id, input }, ctx, info) => {
      await changePassword(ctx, account_id, input);
      return getMe(ctx, account_id, meIn(info));
    }),
    delete_session: deleteField(deleteSession),
    create_saved_view: (_, { account_id, input }, ctx) => createView(ctx, account_id, input),
    update_saved_view: (_, { account_id, id, input }, ctx) =>
      updateView(ctx, account_id, id, input),
    delete_saved_view: (_, { account_id, id }, ctx) => deleteView(ctx, account_id, id),
    subscribe_web_push: (_, { account_id, input }, ctx) => subscribeWebPush(ctx, account_id, input),
    unsubscribe_web_push: (_, { account_id, endpoint }, ctx) =>
      unsubscribeWebPush(ctx, account_id, endpoint),
    revert_changes: (_, { account_id, input }, ctx) => revertChanges(ctx, account_id, input),
    create_webhook: createResolver(createWebhook, ['webhook']),
    update_webhook: updateField(updateWebhook),
    delete_webhook: deleteField(deleteWebhook),
    rotate_webhook_secret: (_, { account_id, id }, ctx, info) =>
      withVersion(ctx, info, ['webhook'], (selection) =>
        rotateSecret(ctx, account_id, id, selection),
      ),
    test_webhook: recordResolver(testWebhook),
    retry_webhook_delivery: recordResolver(retryDelivery),
    replay_webhook: (_, { account_id, id, input }, ctx) =>
      replayWebhook(ctx, account_id, id, input),
  },
};
