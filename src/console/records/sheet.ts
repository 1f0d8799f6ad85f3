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
import { typedCents } from './amounts.ts';
import { everyRow } from './bulk/run.ts';
import { nameOf } from './choices.ts';

type Query = Readonly<Record<string, unknown>>;
type Contact = ContactSheetQuery['list']['data'][number];
type Deal = DealSheetQuery['list']['data'][number];

const clock = (moment: string | null): string =>
  moment === null ? '' : clockAt(Date.parse(moment), timeZone.value).replace('T', ' ');

/** A column by its title. */
type Columns<Row> = readonly (readonly [string, (row: Row) => Cell])[];

const written = <Row>(columns: Columns<Row>, rows: readonly Row[]): string =>
  [
    csvRow(columns.map(([title]) => title)),
    ...rows.map((row) => csvRow(columns.map(([, cell]) => cell(row)))),
  ].join('');

/** @returns CSV of all that a search finds. @throws {Refusal} */
async function contactSheet(query: Query): Promise<string> {
  const { contacts, records } = words.value;
  const rows = await everyRow<Contact>(
    async (after) => (await ask(ContactSheetDocument, { query, after })).list,
  );
  return written(
    [
      [records.name, ({ full_name }) => full_name],
      [contacts.email, ({ email }) => email],
      [contacts.phone, ({ phone }) => phone],
      [records.labels, ({ label_list }) => listCell(label_list)],
      [records.created, ({ created_at }) => clock(created_at)],
      ['id', ({ id }) => id],
    ],
    rows,
  );
}

/** @returns CSV of all that a search finds. @throws {Refusal} */
async function dealSheet(query: Query): Promise<string> {
  const { contacts, deals, records } = words.value;
  const statuses: Readonly<Record<string, string>> = records.statuses;
  const rows = await everyRow<Deal>(
    async (after) => (await ask(DealSheetDocument, { query, after })).list,
  );
  return written(
    [
      [records.name, ({ name }) => name],
      [deals.contact, ({ contact }) => contact.full_name],
      [contacts.email, ({ contact }) => contact.email],
      [contacts.phone, ({ contact }) => contact.phone],
      [records.status, ({ status }) => statuses[status] ?? status],
      [records.pipeline, ({ pipeline }) => pipeline.name],
      [records.stage, ({ stage }) => stage.name],
      [
        deals.assignees,
        ({ deal_assignees }) => listCell(deal_assignees.map(({ user }) => nameOf(user))),
      ],
      [deals.amount, (deal) => Number(typedCents(deal.total_deal_products_amount_in_cents))],
      [records.created, ({ created_at }) => clock(created_at)],
      [deals.wonOn, ({ won_at }) => clock(won_at)],
      [deals.lostOn, ({ lost_at }) => clock(lost_at)],
      [deals.lostReason, ({ lost_reason }) => lost_reason],
      ['id', ({ id }) => id],
    ],
    rows,
  );
}

export const sheets = { contacts: contactSheet, deals: dealSheet } as const;
