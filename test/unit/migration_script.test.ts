/** A migration is sent statement by statement: it is taken apart just as PostgreSQL would. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { loadModule, parseSync } from 'libpg-query';
import { statementsOf } from '../../src/db/migrations/script.ts';

await loadModule();

const directory = new URL('../../prisma/migrations/', import.meta.url);
const migrations = readdirSync(directory, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const parsed = (sql: string) => parseSync(sql).stmts ?? [];

test.each(migrations)('%s comes apart as PostgreSQL reads it', (name) => {
  const script = readFileSync(new URL(`${name}/migration.sql`, directory), 'utf8');
  const statements = statementsOf(script);
  expect(statements.map((statement) => parsed(statement).length)).toEqual(statements.map(() => 1));
  expect(statements).toHaveLength(parsed(script).length);
});

test('semicolons in bodies, texts, names and comments end nothing', () => {
  const body = "DO $$ BEGIN PERFORM 'a;b'; END $$";
  const text = `SELECT 'it''s; one' AS "a;b" -- and; that's\n, 2`;
  expect(statementsOf(`-- first;\n${body};\n${text};\n\n-- last; one\n`)).toEqual([
    `-- first;\n${body}`,
    `\n${text}`,
  ]);
});
