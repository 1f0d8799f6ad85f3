import { describe, expect, test } from '@jest/globals';
import type { Draft } from '../../src/import/draft.ts';
import { MemoryJournal } from '../../src/import/memory_journal.ts';
import { reportHeader, reportRow } from '../../src/import/report.ts';
import { importDrafts, largest, type Task } from '../../src/import/run.ts';
import type { Result, Service } from '../../src/import/service.ts';

const json = { parse: (text: string): unknown => JSON.parse(text), stringify: JSON.stringify };
const task: Task = { records: 'contacts', operation: 'create', isDry: false, portion: largest };

async function* drafts(count: number): AsyncGenerator<Draft> {
  for (let number = 2; number < count + 2; number++) {
    const full_name = `Person ${number}`;
    yield { row: { number, cells: [full_name] }, fields: { full_name }, named: [], faults: {} };
  }
}

interface Sent {
  readonly key: string | undefined;
  readonly names: readonly string[];
}

/** A service that fails once it has been asked so often, and then answers. */
function failing(at: number) {
  const sent: Sent[] = [];
  const service: Service = {
    find: () => Promise.resolve([]),
    write: async (_, body, key) => {
      const { records }: { records: { full_name: string }[] } = JSON.parse(body);
      sent.push({ key, names: records.map(({ full_name }) => full_name) });
      if (sent.length === at) throw new Error('no answer came');
      return records.map((_, index): Result => ({ index, status: 201, id: index }));
    },
  };
  return { sent, service };
}

test('a part whose answer did not come is sent again as it was, under its key, and the rest goes on', async () => {
  const { sent, service } = failing(2);
  const journal = new MemoryJournal(1, () => undefined);
  const run = async () => {
    for await (const _ of importDrafts(drafts(2002), task, service, journal, json));
  };
  await expect(run()).rejects.toThrow('no answer came');
  expect(journal.counts).toEqual({ created: 1000, updated: 0, refused: 0 });
  await run();
  expect(journal.counts).toEqual({ created: 2002, updated: 0, refused: 0 });
  expect(sent.map(({ names }) => [names.length, names[0]])).toEqual([
    [1000, 'Person 2'],
    [1000, 'Person 1002'],
    [1000, 'Person 1002'],
    [2, 'Person 2002'],
  ]);
  expect(sent[2]).toEqual(sent[1]);
  expect(new Set(sent.map(({ key }) => key)).size).toBe(3);
});

describe('a service that keeps no keys, as one is asked from a browser, is sent each batch once:', () => {
  const deals: Task = { ...task, records: 'deals', operation: 'upsert' };

  async function* rows(): AsyncGenerator<Draft> {
    for (let number = 2; number < 5; number++) {
      const fields = { name: `Deal ${number}`, product_id: number, quantity: '2' };
      yield { row: { number, cells: [] }, fields, named: [], faults: {} };
    }
  }

  /** The first deal is new, the others were there, and only the last had its product. */
  function answering(fails: number) {
    const sent: string[] = [];
    let asked = 0;
    const service: Service = {
      find: () => Promise.resolve([{ id: 7, deal_id: 12, product_id: 4 }]),
      write: async (records, body) => {
        const given: { records: readonly unknown[]; dry_run?: true } = JSON.parse(body);
        if (given.dry_run) {
          return given.records.map((_, index) => ({ index, status: 422, id: null, fields: {} }));
        }
        asked += 1;
        if (asked === fails) throw new Error('there is no connection');
        sent.push(`${records} ${body}`);
        return given.records.map((_, index) => {
          const status = records === 'deals' && index > 0 ? 200 : 201;
          return { index, status, id: 10 + index };
        });
      },
    };
    return { sent, service };
  }

  test.each([1, 2, 3, 4])('where connection %d fails', async (fails) => {
    const { sent, service } = answering(fails);
    const journal = new MemoryJournal(1, () => undefined);
    const run = async () => {
      for await (const _ of importDrafts(rows(), deals, service, journal, json));
    };
    if (fails < 4) await expect(run()).rejects.toThrow('there is no connection');
    await run();
    expect(sent).toEqual([
      'deals {"operation":"upsert","records":[{"name":"Deal 2"},{"name":"Deal 3"},{"name":"Deal 4"}]}',
      'deal_products {"operation":"create","records":[{"product_id":2,"quantity":"2","deal_id":10},{"product_id":3,"quantity":"2","deal_id":11}]}',
      'deal_products {"operation":"update","records":[{"id":7,"quantity":"2"}]}',
    ]);
    expect(journal.counts).toEqual({ created: 1, updated: 2, refused: 0 });
  });
});

test('a row that was refused is reported with all of its cells, those without a column last', () => {
  const names = ['name', 'mail'];
  const row = { number: 3, cells: ['Ana', 'Souza', 'ana@x.test'] };
  const report = `${reportHeader(names)}${reportRow(names, { row, errors: ['wrong', 'too'] })}`;
  expect(report).toBe('name,mail,row,errors\r\nAna,Souza,3,"wrong; too",ana@x.test\r\n');
});
