/** The columns that a list shows: as usual, or those that its address names (`name,email,custom_attributes.city`). */
import { listPart, splitList } from '../../../lib/list_text.ts';
import type { Filtering } from '../../components/filtering.ts';
import type { Column } from '../../components/table.tsx';
import { attributeText } from '../attributes.ts';
import type { ListName } from './attributes_in_use.ts';

/** Before the key of a custom attribute in the name of its column, as in searches. */
const prefix = 'custom_attributes.';

export const attributeColumn = (key: string): string => prefix + key;

/** The custom attribute that a column shows. */
export const attributeOf = (column: string): string | undefined =>
  column.startsWith(prefix) && column !== prefix ? column.slice(prefix.length) : undefined;

/** A row; its custom attributes are there where a column shows one. */
export interface RowWithAttributes {
  readonly custom_attributes?: Readonly<Record<string, unknown>>;
}

/** A list whose columns are chosen by its filter `columns`. */
export interface ListColumns<Row> extends Filtering {
  readonly list: ListName;
  /** The list's own columns, in their usual order. */
  readonly all: readonly Column<Row>[];
}

export interface ShownColumns<Row> {
  readonly shown: readonly Column<Row>[];
  /** What they are called, the first one aside; undefined while they are as usual. */
  readonly chosen: readonly string[] | undefined;
  /** Whether rows need more than is usually shown of them. */
  readonly extras: boolean;
}

/**
 * The columns that somebody chose. The first always stands first, since it leads to the record, and actions stand last.
 * What is no column is passed over.
 * @param all of the list's own columns, in their usual order
 * @param written as the address has it; empty for the usual ones
 */
export function columnsOf<Row extends RowWithAttributes>(
  all: readonly Column<Row>[],
  written: string,
): ShownColumns<Row> {
  const chosen = namesIn(all, written);
  const between = chosen
    ? chosen.map((name) => all.find(({ key }) => key === name) ?? columnFor(name))
    : columnsToChoose(all).filter(({ isExtra }) => !isExtra);
  return {
    shown: [...all.slice(0, 1), ...between, ...all.filter(({ kind }) => kind === 'actions')],
    chosen,
    extras: between.some(({ isExtra }) => isExtra),
  };
}

/** Columns that may be left out. */
export const columnsToChoose = <Row>(all: readonly Column<Row>[]): readonly Column<Row>[] =>
  all.slice(1).filter(({ kind }) => kind !== 'actions');

const usual = <Row>(all: readonly Column<Row>[]): readonly string[] =>
  columnsToChoose(all)
    .filter(({ isExtra }) => !isExtra)
    .map(({ key }) => key);

/** How the address says that these are shown behind the first; empty where that is as usual. */
export function columnsText<Row>(all: readonly Column<Row>[], names: readonly string[]): string {
  // With the first there is something to say also where no other is shown.
  const first = all.slice(0, 1).map(({ key }) => key);
  const isUsual = names.join() === usual(all).join();
  return isUsual ? '' : [...first, ...names].map(listPart).join(',');
}

function namesIn<Row>(all: readonly Column<Row>[], written: string): readonly string[] | undefined {
  const parts = [...new Set(splitList(written))];
  const known = new Set(columnsToChoose(all).map(({ key }) => key));
  const names = parts.filter((name) => known.has(name) || attributeOf(name) !== undefined);
  const isChoice = names.length > 0 || parts.some((name) => name === all[0]?.key);
  return isChoice && columnsText(all, names) !== '' ? names : undefined;
}

/** @param name of a custom attribute's column, by which no search sorts */
function columnFor<Row extends RowWithAttributes>(name: string): Column<Row> {
  const key = attributeOf(name) ?? name;
  return {
    key: name,
    title: key,
    isExtra: true,
    cell: ({ custom_attributes }) => attributeText(custom_attributes, key),
  };
}
