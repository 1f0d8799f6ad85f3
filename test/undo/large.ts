/** A contact with much beneath it, removed and restored. */
import type { World } from '../kit/world.ts';

const question = `query ($account: Integer!, $id: Integer!) {
  contact(account_id: $account, id: $id) {
    full_name created_at updated_at deals_count events_count
    deals(limit: 100) { id name status position stage_id pipeline_id created_at updated_at deal_assignees { id user_id } }
    events(limit: 100) { id kind content deal_id created_at updated_at }
  }
}`;

/** @returns what REST, GraphQL and the exports say of the contact, before it was removed and once it is back */
export async function large(
  w: World,
  deals: number,
  events: number,
): Promise<{ readonly before: readonly string[]; readonly after: readonly string[] }> {
  const { id } = await w.contact({ full_name: 'Ana' });
  const create = async (table: string, count: number, record: (n: number) => object) => {
    for (let from = 0; from < count; from += 500) {
      const size = Math.min(500, count - from);
      const records = Array.from({ length: size }, (_, n) => record(from + n));
      const { status } = await w.rest.post(`/${table}/batch`, { operation: 'create', records });
      if (status !== 200) throw new Error(`a batch was answered with ${status}`);
    }
  };
  await create('deals', deals, (n) => ({
    ...{ contact_id: id, stage_id: w.stageIds[n % 3], name: `deal ${n}` },
  }));
  await create('events', events, (n) => ({ contact_id: id, kind: 'note', content: `note ${n}` }));
  const path = `/contacts/${id}`;
  const shown = async () => {
    const account = w.accountId;
    const texts = [(await w.rest.get(path)).text];
    for (const table of exports) texts.push((await w.rest.get(`/${table}/export`)).text);
    texts.push((await w.graphql.send(question, { account, id })).text);
    return texts;
  };
  const before = await shown();
  await w.rest.delete(path);
  const { text } = await w.rest.post(`${path}/restore`);
  const after = await shown();
  return { before: [before[0] ?? '', ...before], after: [text, ...after] };
}

const exports = ['contacts', 'deals', 'events'];
