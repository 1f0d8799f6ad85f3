import { expect, jest, test } from '@jest/globals';
import type { Draft } from '../../src/import/draft.ts';
import { MemoryJournal } from '../../src/import/memory_journal.ts';
import { reportHeader, reportRow } from '../../src/import/report.ts';
import { importDrafts, largest, type Refused, type Task } from '../../src/import/run.ts';
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
  readonly key: string;
  readonly names: readonly string[];
}

/** A service that fails behind some records of each of its first answers. */
function failing(comesTo: readonly number[]) {
  const sent: Sent[] = [];
  const service: Service = {
    find: () => Promise.resolve([]),
    write: async (_, body, key) => {
      const { records }: { records: { full_name: string }[] } = JSON.parse(body);
      sent.push({ key, names: records.map(({ full_name }) => full_name) });
      const most = comesTo[sent.length - 1] ?? records.length;
      return records.map((_, index): Result => {
        const status = index < most ? 201 : 503;
        return {
          index,
          status,
          id: status === 201 ? index : null,
          errors: ['Service unavailable'],
        };
      });
    },
  };
  return { sent, service };
}

/** Imports without waiting. */
async function run(service: Service, count: number) {
  jest.useFakeTimers();
  const refused: Refused[] = [];
  const journal = new MemoryJournal(1, (more) => refused.push(...more));
  let isOver = false;
  const importing = (async () => {
    for await (const _ of importDrafts(drafts(count), task, service, journal, json));
  })().finally(() => {
    isOver = true;
  });
  while (!isOver) await jest.advanceTimersByTimeAsync(1000);
  await importing;
  jest.useRealTimers();
  return { counts: journal.counts, refused: refused.map(({ row }) => row.number) };
}

test('what a service did not come to is sent by itself, under a key of its own', async () => {
  const { sent, service } = failing([2, 1]);
  expect(await run(service, 5)).toEqual({
    counts: { created: 5, updated: 0, refused: 0 },
    refused: [],
  });
  expect(sent.map(({ names }) => names.map((name) => name.replace('Person ', '')))).toEqual([
    ['2', '3', '4', '5', '6'],
    ['4', '5', '6'],
    ['5', '6'],
  ]);
  expect(new Set(sent.map(({ key }) => key)).size).toBe(3);
});

test('what a service never comes to is refused, and the rest goes on', async () => {
  const { sent, service } = failing([999, ...Array.from({ length: 9 }, () => 0)]);
  expect(await run(service, 1002)).toEqual({
    counts: { created: 1001, updated: 0, refused: 1 },
    refused: [1001],
  });
  expect(sent.map(({ names }) => names.length)).toEqual([1000, ...Array(9).fill(1), 2]);
});

test('a row that was refused is reported with all of its cells, those without a column last', () => {
  const names = ['name', 'mail'];
  const row = { number: 3, cells: ['Ana', 'Souza', 'ana@x.test'] };
  const report = `${reportHeader(names)}${reportRow(names, { row, errors: ['wrong', 'too'] })}`;
  expect(report).toBe('name,mail,row,errors\r\nAna,Souza,3,"wrong; too",ana@x.test\r\n');
});
