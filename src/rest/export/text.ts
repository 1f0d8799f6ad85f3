import { type Exported, exportedBy } from '../../graphql/exported.ts';
import { operations } from '../operations.ts';
import type { Format } from './formats.ts';

/**
 * How what a root field searches is exported.
 * @throws {Error} when no such operation is stored
 */
export function exportedOf(operation: string): Exported {
  const document = operations.get(operation);
  if (!document) throw new Error(`no operation is stored for ${operation}`);
  return exportedBy(document);
}

/** Characters that are handed on at once. */
const part = 64 * 1024;

/**
 * The text of an export, in parts.
 * @param records as the database built them, in batches
 */
export async function* textOf(
  exported: Exported,
  { head, line }: Format,
  records: AsyncIterable<readonly string[]>,
): AsyncGenerator<Buffer> {
  let text = head(exported);
  for await (const batch of records) {
    for (const record of batch) {
      text += line(exported, exported.show(JSON.parse(record)));
      if (text.length < part) continue;
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text);
}
