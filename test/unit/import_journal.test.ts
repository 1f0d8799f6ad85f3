/** What a journal of an import knows of rows that were sent when it was cut off. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { FileJournal, type JournalHeader } from '../../src/cli/import/journal.ts';
import { Report } from '../../src/cli/import/report.ts';
import type { Part } from '../../src/import/part.ts';

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'journal-'));
  file = join(directory, 'people.csv');
  await writeFile(file, 'Name\nAna\nBea\n');
});
afterEach(() => rm(directory, { recursive: true }));

const open = (more: Partial<JournalHeader> = {}): Promise<FileJournal> =>
  FileJournal.open({
    ...{ file, task: {}, header: 1, isAgain: false, caller: 'one', doubtful: undefined },
    report: new Report(`${file}.refused.csv`, ['Name']),
    ...more,
  });

const row = (number: number, name: string) => ({ number, cells: [name] });
const part = {
  key: 'k',
  records: ['{"full_name":"Ana"}'],
  rows: [row(2, 'Ana')],
  refused: [{ row: row(3, 'Bea'), errors: ['wrong'] }],
};

/** As if it had been cut off some hours ago. */
async function cutOff(hours: number, begun: Part = part): Promise<void> {
  await (await open()).begin(begun);
  const path = `${file}.import.json`;
  const state: { sent: { at: string } } = JSON.parse(await readFile(path, 'utf8'));
  state.sent.at = new Date(Date.now() - hours * 3_600_000).toISOString();
  await writeFile(path, JSON.stringify(state));
}

test('they are sent again while the service tells what became of them', async () => {
  await cutOff(22);
  expect((await open()).pending).toEqual(part);
});

test.each([
  ['after a day', 24, {}, 'for longer than a day'],
  ['with another token', 1, { caller: 'other' }, 'to another token'],
] as const)('%s it is to be said what becomes of them', async (_, hours, by, why) => {
  await cutOff(hours);
  await expect(open(by)).rejects.toThrow(
    new RegExp(`people.csv: the rows up to 3 were sent at .* does not tell ${why}`),
  );
  expect((await open({ ...by, doubtful: 'send' })).pending).toEqual(part);
  const journal = await open({ ...by, doubtful: 'skip' });
  expect([journal.pending, journal.last, journal.counts.refused]).toEqual([undefined, 3, 1]);
  expect(await readFile(`${file}.refused.csv`, 'utf8')).toContain('Bea,3,wrong');
});

test('lines that are skipped leave what came of their deals', async () => {
  const counts = { created: 1, updated: 0, refused: 1 };
  const stage = {
    operation: 'create',
    before: { last: 3, counts, refused: part.refused },
  } as const;
  await cutOff(24, { ...part, refused: [], stage });
  await expect(open()).rejects.toThrow('the rows up to 3 were sent');
  const journal = await open({ doubtful: 'skip' });
  expect([journal.pending, journal.last, journal.counts]).toEqual([undefined, 3, counts]);
  expect(await readFile(`${file}.refused.csv`, 'utf8')).toContain('Bea,3,wrong');
});
