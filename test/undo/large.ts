/** A contact with much beneath it, removed and restored. */
import type { World } from '../kit/world.ts';

/** @returns whether the contact is as it was */
export async function large(w: World, deals: number, events: number): Promise<boolean> {
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
  const before = await w.rest.get(path);
  await w.rest.delete(path);
  const answer = await w.rest.post(`${path}/restore`);
  return answer.text === before.text;
}
