/** What can be exported, and in which forms. */
import { tablesIn } from '../records.ts';

/** Kinds of records, each by the name of the root field that searches it, too. */
export const exportable = tablesIn('exports');

/** The first is the default. */
export const formats = ['ndjson', 'csv'] as const;

export type FormatName = (typeof formats)[number];
