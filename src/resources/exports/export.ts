import { authorize, rightOf } from '../../auth/policy.ts';
import { allows } from '../../auth/scopes.ts';
import type { Viewer } from '../../auth/viewer.ts';
import { type Context, faultsOf } from '../../context/context.ts';
import { longestSnapshotMs } from '../../db/connections/snapshots.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { sql } from '../../db/sql/sql.ts';
import { notInList } from '../../errors/codes.ts';
import { Fault } from '../../errors/errors.ts';
import { tables } from '../../generated/shapes.ts';
import type { Group, Search } from '../../search/search.ts';
import { allStatement, matchingStatement } from '../../search/statement.ts';
import { recordAudit } from '../audit/entry.ts';
import { writeCursor } from '../changes/cursor.ts';
import { readHorizon } from '../changes/horizon.ts';
import { cursorIn, cursorNow } from '../changes/now.ts';
import { readQuery } from '../kernel/read/page.ts';
import { select } from '../kernel/read/record.ts';
import { shapes } from '../shapes.ts';
import { exportable, type FormatName, formats } from './exportable.ts';

/** How long the entry of the audit trail may take, in milliseconds. */
const auditMs = 5000;

export interface ExportRequest {
  readonly query?: unknown;
  readonly format?: unknown;
  /** The names of the fields that were chosen; undefined for all of them. */
  readonly fields?: readonly string[] | undefined;
}

/** An open export: its caller must close it, however far they have read. */
export interface Export {
  readonly format: FormatName;
  readonly total: number;
  /**
   * The place in the feed of changes from which on it is out of date, for those who may follow
   * that; undefined while one long write keeps that place from being known.
   */
  readonly cursor: string | undefined;
  /**
   * The records, as the database built them: JSON, in portions as they arrive.
   * @throws {Fault} why the viewer may not read on; UNAVAILABLE when the time is over, the service stops, or
   *   they were read too slowly while others waited
   */
  records(): AsyncGenerator<readonly string[]>;
  close(): void;
}

/**
 * Opens an export. The audit trail records it before its first record is read, with what it asked for but
 * without anything that a client wrote, which may be about persons whose data will have to be erased one day.
 * @throws {Fault} INVALID_SEARCH for a query or format that cannot be read; TOO_MANY_REQUESTS while too many
 *   exports of the account are running, UNAVAILABLE when too many in all did not end in time
 */
export async function openExport(
  ctx: Context,
  account: unknown,
  kind: string,
  request: ExportRequest,
  selection: Selection,
): Promise<Export> {
  const shape = exportable.find((one) => one === kind);
  if (!shape) throw new Error(`${kind} cannot be exported`);
  const accountId = authorize(ctx.viewer, account, `${tables[shape].one}.read`);
  const faults = faultsOf(ctx, 'INVALID_SEARCH');
  // It is no part of the interface whose searches know no more than its records show.
  const search = readQuery({ ...ctx, searches: 'all' }, request.query, shape, faults);
  const format = formats.find((one) => one === (request.format || formats[0]));
  if (!format) faults.add('format', notInList(formats));
  faults.throwIfAny();
  // What comes before it is in the snapshot, which begins later.
  const horizon = mayFollow(ctx.viewer) ? await readHorizon(ctx.db) : undefined;
  // From here on there is no deadline: it may have to wait for others, and then lasts as its reader does.
  const parked = ctx.hold(longestSnapshotMs);
  const { signal } = parked;
  const snapshot = await ctx.db.snapshot(signal).catch((error: unknown) => {
    const why = signal.aborted ? endOf(signal) : error;
    parked.end();
    throw why;
  });
  const close = () => {
    snapshot.close();
    parked.end();
  };
  try {
    // Also while PostgreSQL is at work, or its reader is not.
    signal.addEventListener('abort', () => snapshot.close(), { once: true });
    if (signal.aborted) throw endOf(signal);
    const cursor = horizon ? sql`${cursorNow(accountId, horizon)}::text` : sql`NULL::text`;
    const matches = matchingStatement(search, shapes, accountId);
    const [row] = await snapshot.query<{ total: number; cursor: string | null }>(
      sql`SELECT (SELECT count(*) FROM (${matches}) AS found) AS total, ${cursor} AS cursor`,
    );
    const total = row?.total ?? 0;
    const { fields } = request;
    const conditions = conditionsOf(search.where);
    const details = { records: shape, format, ...(fields && { fields }), conditions, total };
    const timely = {
      ...ctx,
      db: ctx.db.of({ account: accountId, until: performance.now() + auditMs }),
    };
    await recordAudit(timely, 'account.export', accountId, { before: null, after: details });
    const statement = statementOf(search, accountId, selection);
    const place = row?.cursor ? cursorIn(row.cursor) : undefined;
    return {
      format: format ?? formats[0],
      total,
      cursor: place && writeCursor(place),
      close,
      records: async function* () {
        try {
          for await (const batch of snapshot.stream(statement)) {
            if (signal.aborted) throw endOf(signal);
            yield batch;
          }
        } catch (error) {
          throw signal.aborted ? endOf(signal) : error;
        } finally {
          close();
        }
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

const statementOf = (search: Search, accountId: number, selection: Selection) =>
  allStatement({
    shape: search.shape,
    shapes,
    accountId,
    search,
    record: (alias, positionFrom) =>
      select.record(search.shape, selection, accountId, alias, positionFrom),
  });

const mayFollow = ({ role, scopes }: Viewer): boolean =>
  role === 'admin' && allows(scopes, rightOf('change.read').scope);

/**
 * The conditions of a search by the names of columns alone: neither what they compare with, nor keys of
 * free-form attributes, nor names that mean nothing.
 */
const conditionsOf = ({ conditions, groups }: Group): readonly string[] => [
  ...new Set([
    ...conditions.map(({ any, attributes, predicate }) => {
      const names = attributes.map(({ path, column }) => [...path, column].join('_'));
      return `${names.join(any ? '_or_' : '_and_')}_${predicate.name}`;
    }),
    ...groups.flatMap(conditionsOf),
  ]),
];

const endOf = ({ reason }: AbortSignal): Fault =>
  reason instanceof Fault ? reason : new Fault('UNAVAILABLE', ['The export was ended']);
