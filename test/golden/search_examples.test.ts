/** The examples of the search language beside its compiler are what it makes. */
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { shapes } from '../../src/resources/shapes.ts';
import { compileWhere } from '../../src/search/compile.ts';
import { compileOrder, orderBy } from '../../src/search/order.ts';
import { parseSearch } from '../../src/search/parse.ts';
import { expectGolden, sqlLines } from '../kit/golden.ts';

const literal = (value: unknown): string => {
  if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(', ')}]`;
  return typeof value === 'string' ? pg.escapeLiteral(value).trim() : String(value);
};

function sqlOf(shape: string, query: string): string {
  if (!(shape in shapes)) throw new Error(`There are no ${shape}`);
  const name = shape as keyof typeof shapes;
  const search = parseSearch(JSON.parse(query), name, shapes);
  const where = compileWhere(search, 'r', shapes, 1);
  const { joins, keys } = compileOrder(search, 'r', shapes, 1);
  const order = orderBy(keys);
  // Sorted only where sorts are asked for; else by the id.
  const parts =
    search.sorts.length > 0 ? [joins, { text: 'ORDER BY', values: [] }, order] : [where];
  return parts
    .map(({ text, values }) => text.replaceAll(/\$(\d+)/g, (_, at) => literal(values[at - 1])))
    .join(' ');
}

test('every construct of the search language has its SQL beside the compiler', () => {
  let examples = 0;
  expectGolden('src/search/README.md', (kept) =>
    kept.replaceAll(
      /```json\n(\w+) (.*)\n```\n\n```sql\n[^`]*```/g,
      (_, shape: string, query: string) => {
        examples += 1;
        const sql = sqlLines(sqlOf(shape, query));
        return `\`\`\`json\n${shape} ${query}\n\`\`\`\n\n\`\`\`sql\n${sql}\n\`\`\``;
      },
    ),
  );
  expect(examples).toBeGreaterThan(20);
});
