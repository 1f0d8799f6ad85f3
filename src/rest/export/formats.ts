/** Exported records as text: a line of JSON each, or a row of CSV. */
import { csvRow, listCell } from '../../csv/write.ts';
import type { ExportPlan } from '../../graphql/export_plan.ts';
import type { FormatName } from '../../graphql/exportable.ts';
import { JsonText, stringifyJson } from '../../json/json.ts';

export interface Format {
  readonly type: string;
  /** For the documentation. */
  readonly example: string;
  /** What comes before all records. */
  readonly head: (exported: ExportPlan) => string;
  readonly line: (exported: ExportPlan, record: Readonly<Record<string, unknown>>) => string;
}

export const formats: Readonly<Record<FormatName, Format>> = {
  ndjson: {
    type: 'application/x-ndjson; charset=utf-8',
    example: '{"id":1,"created_at":"2026-03-01T10:00:00.123Z"}\n',
    head: () => '',
    // Stored JSON may have line breaks between its values.
    line: (_, record) => `${stringifyJson(record).replaceAll(/[\r\n]/g, ' ')}\n`,
  },
  csv: {
    type: 'text/csv; charset=utf-8; header=present',
    example: 'id,created_at\r\n1,2026-03-01T10:00:00.123Z\r\n',
    head: ({ fields }) => csvRow(fields),
    line: ({ fields }, record) => csvRow(fields.map((field) => cellOf(record[field]))),
  },
};

function cellOf(value: unknown): string | number | boolean | null {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return value;
    default:
      if (value === null || value === undefined) return null;
      if (value instanceof JsonText) return value.text;
      return isTexts(value) ? listCell(value) : stringifyJson(value);
  }
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
