import type { Resolvers } from '../../generated/graphql.ts';
import { createContactEvent, createDealEvent } from '../../resources/events/create.ts';
import { deleteEvent } from '../../resources/events/delete.ts';
import { updateEvent } from '../../resources/events/update.ts';
import { getting, searching } from '../../resources/kernel/read.ts';
import { selectionOf } from '../selection.ts';

const get = getting('events', 'event.read');
const search = searching('events', 'event.read');

export const events = {
  Query: {
    event: (_, { account_id, id }, ctx, info) => get(ctx, account_id, id, selectionOf(info)),
    events: (_, { account_id, ...page }, ctx, info) =>
      search(ctx, account_id, page, selectionOf(info, ['data'])),
  },
  Mutation: {
    create_deal_event: (_, { account_id, deal_id, input }, ctx, info) =>
      createDealEvent(ctx, account_id, deal_id, input, selectionOf(info)),
    create_contact_event: (_, { account_id, contact_id, input }, ctx, info) =>
      createContactEvent(ctx, account_id, contact_id, input, selectionOf(info)),
    update_event: (_, { account_id, id, input }, ctx, info) =>
      updateEvent(ctx, account_id, id, input, selectionOf(info)),
    delete_event: (_, { account_id, id }, ctx) => deleteEvent(ctx, account_id, id),
  },
} satisfies Resolvers;
