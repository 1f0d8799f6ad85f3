import { type ExportPlan, exportPlanOf } from '../../graphql/export_plan.ts';
import type { JsonObject } from '../../json/json.ts';
import { operations } from '../operations.ts';
import { type ChosenFields, Parts } from '../part.ts';
import type { Format } from './formats.ts';

/** What exports of one kind of record have: all that a search shows of each, or the fields chosen. */
export class ExportedRecords {
  readonly #parts: Parts;
  readonly #all: ExportPlan;

  /** @throws {Error} when no such operation is stored */
  constructor(operation: string) {
    const document = operations.get(operation);
    if (!document) throw new Error(`no operation is stored for ${operation}`);
    this.#parts = new Parts(operation);
    this.#all = exportPlanOf(document);
  }

  /**
   * Reads which fields are wanted.
   * @param parameters of an export, of which it takes `fields`
   */
  read(parameters: JsonObject): ChosenFields & { readonly exported: ExportPlan } {
    const chosen = this.#parts.read(parameters);
    const { fields } = chosen;
    return {
      ...chosen,
      exported: fields ? exportPlanOf(this.#parts.documentOf(fields)) : this.#all,
    };
  }
}

/** Characters that are handed on at once. */
const part = 64 * 1024;

/**
 * The text of an export, in parts.
 * @param records as the database built them, in batches
 */
export async function* textOf(
  exported: ExportPlan,
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
