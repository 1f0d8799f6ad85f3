/** What lists show as people read it: names instead of ids, amounts with decimals, days instead of moments. */

import { type Cell, csvRow, listCell } from '../../csv/write.ts';
import {
  ContactSheetDocument,
  type ContactSheetQuery,
  DealSheetDocument,
  type DealSheetQuery,
} from '../../generated/console.ts';
import { ask } from '../api/ask.ts';
import { clockAt } from '../words/days.ts';
import { timeZone } from '../words/format.ts';
import { words } from '../words/words.ts';
import { stepText } from './activities/dot.tsx';
import { typedCents } from './amounts.ts';
import { attributeText } from './attributes.ts';
import { everyRow } from './bulk/run.ts';
import { nameOf } from './choices.ts';
import { attributeOf, type RowWithAttributes } from './columns/columns.ts';

type Query = Readonly<Record<string, unknown>>;
type Contact = ContactSheetQuery['list']['data'][number];
type Deal = DealSheetQuery['list']['data'][number];

const clock = (moment: string | null | undefined): string =>
  moment ? clockAt(Date.parse(moment), timeZone.value).replace('T', ' ') : '';

/** A column: its name among the list's own, its title, and what is in it. */
type SheetColumn<Row> = readonly [string, string, (row: Row) => Cell];

/**
 * @param usual the columns that are there without a choice
 * @param more those that can be chosen besides
 * @param chosen names of the columns behind the first
 */
function sheetOf<Row extends RowWithAttributes>(
  rows: readonly Row[],
  usual: readonly SheetColumn<Row>[],
  more: readonly SheetColumn<Row>[],
  chosen: readonly string[] | undefined,
): string {
  const known = [...usual, ...more];
  const behind = chosen?.map((name) => known.find(([own]) => own === name) ?? attributeCells(name));
  const columns = behind ? [...usual.slice(0, 1), ...behind] : usual;
  return [
    csvRow(columns.map(([, title]) => title)),
    ...rows.map((row) => csvRow(columns.map(([, , cell]) => cell(row)))),
  ].join('');
}

/** Whether a choice shows more of a record than is usually read: one of the columns besides, or an attribute. */
const hasExtras = <Row>(
  usual: readonly SheetColumn<Row>[],
  chosen: readonly string[] | undefined,
): boolean => chosen?.some((name) => !usual.some(([own]) => own === name)) ?? false;

function attributeCells<Row extends RowWithAttributes>(name: string): SheetColumn<Row> {
  const key = attributeOf(name) ?? name;
  return [name, key, ({ custom_attributes }) => attributeText(custom_attributes, key)];
}

/** @returns CSV of all that a search finds. @throws {Refusal} */
async function contactSheet(query: Query, chosen?: readonly string[]): Promise<string> {
  const { contacts, fields, records } = words.value;
  const usual: readonly SheetColumn<Contact>[] = [
    ['name', records.name, ({ full_name }) => full_name],
    ['email', contacts.email, ({ email }) => email],
    ['phone', contacts.phone, ({ phone }) => phone],
    ['labels', records.labels, ({ label_list }) => listCell(label_list)],
    ['created', records.created, ({ created_at }) => clock(created_at)],
    ['id', 'id', ({ id }) => id],
  ];
  const more: readonly SheetColumn<Contact>[] = [
    ['updated', fields.updated, ({ updated_at }) => clock(updated_at)],
  ];
  const extras = hasExtras(usual, chosen);
  const rows = await everyRow<Contact>(
    async (after) => (await ask(ContactSheetDocument, { query, after, extras })).list,
  );
  return sheetOf(rows, usual, more, chosen);
}

/** @returns CSV of all that a search finds. @throws {Refusal} */
async function dealSheet(query: Query, chosen?: readonly string[]): Promise<string> {
  const { activities, contacts, deals, fields, records } = words.value;
  const statuses: Readonly<Record<string, string>> = records.statuses;
  const usual: readonly SheetColumn<Deal>[] = [
    ['name', records.name, ({ name }) => name],
    ['contact', deals.contact, ({ contact }) => contact.full_name],
    ['email', contacts.email, ({ contact }) => contact.email],
    ['phone', contacts.phone, ({ contact }) => contact.phone],
    ['status', records.status, ({ status }) => statuses[status] ?? status],
    ['pipeline', records.pipeline, ({ pipeline }) => pipeline.name],
    ['stage', records.stage, ({ stage }) => stage.name],
    [
      'owner',
      deals.assignees,
      ({ deal_assignees }) => listCell(deal_assignees.map(({ user }) => nameOf(user))),
    ],
    [
      'amount',
      deals.amount,
      (deal) => Number(typedCents(deal.total_deal_products_amount_in_cents)),
    ],
    ['created', records.created, ({ created_at }) => clock(created_at)],
    ['won', deals.wonOn, ({ won_at }) => clock(won_at)],
    ['lost', deals.lostOn, ({ lost_at }) => clock(lost_at)],
    ['reason', deals.lostReason, ({ lost_reason }) => lost_reason],
    ['id', 'id', ({ id }) => id],
  ];
  const more: readonly SheetColumn<Deal>[] = [
    ['updated', fields.updated, ({ updated_at }) => clock(updated_at)],
    ['activity', activities.last, ({ last_activity_at }) => clock(last_activity_at)],
    ['step', activities.nextStep, ({ next }) => next?.[0] && stepText(next[0], clock)],
  ];
  const extras = hasExtras(usual, chosen);
  const rows = await everyRow<Deal>(
    async (after) => (await ask(DealSheetDocument, { query, after, extras })).list,
  );
  return sheetOf(rows, usual, more, chosen);
}

export const sheets = { contacts: contactSheet, deals: dealSheet } as const;
