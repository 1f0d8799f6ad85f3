/** A tag names one answer: no other has it, whatever changes, embedded records included. */
import { expect, test } from '@jest/globals';
import { bustle } from '../kit/bustle.ts';
import { seeded } from '../kit/seeded.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();

const seed = Number(process.env['ETAGS_SEED'] ?? Date.now() % 2 ** 31);

/** Statements that are sent, more or less: at least, and at most where no change was seen by then. */
const statements = { min: 300, max: 3000 } as const;

test(`while eight writers change records, a 304 is the answer that was sent with its tag (ETAGS_SEED=${seed})`, async () => {
  const w = await world(service);
  const deals = [await w.deal(), await w.deal()];
  const { product_id, id } = await w.dealProduct({ deal_id: deals[0]?.id });
  const paths = [
    ...deals.flatMap((deal) => [`/deals/${deal.id}`, `/contacts/${deal.contact_id}`]),
    `/contacts/${deals[0]?.contact_id}?fields=id,deals`,
    `/products/${product_id}`,
    `/deal_products/${id}`,
    `/pipelines/${w.pipelineId}`,
    `/stages/${w.stageIds[0]}`,
    `/users/${w.member.id}`,
    '',
  ];
  const begun = service.statements.length;
  const counts = { 200: 0, 304: 0, 404: 0 };
  const isOver = () => {
    const sent = service.statements.length - begun;
    const isSeen = counts[200] > paths.length && counts[304] > 0;
    return sent >= (isSeen ? statements.min : statements.max);
  };
  const watching = paths.map(async (path) => {
    const texts = new Map<string, string>();
    let tag = '"none"';
    do {
      const answer = await w.rest.get(path, { 'if-none-match': tag });
      counts[answer.status as keyof typeof counts] += 1;
      if (answer.status === 404) return;
      const sent = answer.headers.etag ?? '';
      if (answer.status === 304) expect(sent).toBe(tag);
      else expect(texts.get(sent) ?? answer.text).toBe(answer.text);
      if (answer.status === 200) {
        expect(sent).not.toBe(tag);
        texts.set(sent, answer.text);
      }
      tag = sent;
    } while (!isOver());
  });
  const belows = Array.from({ length: 8 }, (_, writer) => seeded(seed + writer));
  await Promise.all([bustle(w, belows, isOver), ...watching]);
  for (const path of paths) {
    const { status, headers } = await w.rest.get(path);
    const again = await w.rest.get(path, { 'if-none-match': headers.etag ?? '' });
    expect([status, again.status]).toEqual(status === 404 ? [404, 404] : [200, 304]);
  }
  expect(counts[200]).toBeGreaterThan(paths.length);
  expect(counts[304]).toBeGreaterThan(0);
});
