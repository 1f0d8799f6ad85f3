import type { World } from './world.ts';

/** An id of a record of each resource that has a route, all of them new or of the world itself. */
export async function oneOfEach(w: World): Promise<Readonly<Record<string, number>>> {
  const attached = await w.dealProduct();
  const deal = await w.fetchDeal(attached.deal_id);
  const [token] = await w.service.database.query<{ id: number }>(
    'SELECT id FROM api_tokens WHERE user_id = $1',
    [w.member.id],
  );
  const webhook = await w.webhook({ enabled: false });
  const [delivery] = await w.service.database.query<{ id: number }>(
    `INSERT INTO webhook_deliveries (account_id, webhook_id, message_id, event, record_type, record_id, status, next_attempt_at)
     VALUES ($1, $2, 'msg_1', 'contact.create', 'contact', 1, 'delivered', NULL) RETURNING id`,
    [w.accountId, webhook.id],
  );
  const { events } = await w.fetchContact(deal.contact_id);
  return {
    contacts: deal.contact_id,
    deals: deal.id,
    products: attached.product_id,
    deal_products: attached.id,
    deal_assignees: deal.deal_assignees[0]?.id ?? 0,
    events: events[0]?.id ?? 0,
    users: w.member.id,
    tokens: token?.id ?? 0,
    webhooks: webhook.id,
    deliveries: delivery?.id ?? 0,
    pipelines: w.pipelineId,
    stages: w.stageIds[0],
  };
}

/** The path of a route with these ids in it. */
export const filled = (path: string, ids: Readonly<Record<string, number>>): string =>
  path.replace(/\/([a-z_]+)\/:[a-z_]+/g, (_, resource: string) => {
    if (!ids[resource]) throw new Error(`oneOfEach makes none of the ${resource}`);
    return `/${resource}/${ids[resource]}`;
  });
