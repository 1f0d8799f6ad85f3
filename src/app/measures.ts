/** What operators see of the parts of a process: each row is a metric. */
import type { DatabaseConnection } from '../db/connections/connect.ts';
import { isMigrated } from '../db/migrations/migrate.ts';
import type { PoolFigures } from '../db/open.ts';
import { BacklogReader } from '../delivery/backlog.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { operationCounts } from '../graphql/operation_counts.ts';
import type { CertificateWatch } from '../http/tls/certificate_watch.ts';
import type { Idempotency } from '../resources/idempotency/once.ts';
import { type Family, type Sample, single } from '../telemetry/families.ts';
import {
  measure,
  measureConnections,
  measureRequests,
  measureShared,
} from '../telemetry/metrics.ts';

interface MeasuredParts {
  readonly server: Parameters<typeof measureRequests>[0];
  readonly bound: Parameters<typeof measureRequests>[1];
  readonly answers: Parameters<typeof measureRequests>[2];
  readonly connections: Parameters<typeof measureConnections>[0];
  readonly parking: { readonly open: number };
  readonly connected: DatabaseConnection;
  readonly deliveries: Delivery;
  readonly idempotency: Idempotency;
  readonly certificates: CertificateWatch | undefined;
}

/** Begins to measure; what was measured before is forgotten. */
export function measureParts(parts: MeasuredParts): void {
  measureRequests(parts.server, parts.bound, parts.answers);
  measureConnections(parts.connections);
  measure([...ownFamilies(parts), ...poolFamilies(parts.connected)]);
  measureShared(sharedFamilies(parts.connected));
}

const ownFamilies = ({
  parking,
  deliveries,
  idempotency,
  certificates,
}: MeasuredParts): readonly Family[] => [
  {
    name: 'http_answers_held_open',
    help: 'Answers that wait for changes, event streams among them',
    type: 'gauge',
    read: () => single(parking.open),
  },
  {
    name: 'graphql_operations_total',
    help: 'GraphQL operations: the stored ones by name, all that clients write themselves as client',
    type: 'counter',
    read: () =>
      [...operationCounts].flatMap(([name, { succeeded, failed }]): readonly Sample[] => [
        [{ graphql_operation_name: name, outcome: 'succeeded' }, succeeded],
        [{ graphql_operation_name: name, outcome: 'failed' }, failed],
      ]),
  },
  {
    name: 'idempotency_replays_total',
    help: 'Answers that were repeated for an Idempotency-Key',
    type: 'counter',
    read: () => single(idempotency.replays),
  },
  {
    name: 'webhook_delivery_attempts_total',
    help: 'Attempts to deliver to webhooks, by what came of them',
    type: 'counter',
    read: () =>
      Object.entries(deliveries.figures.outcomes).map(([outcome, count]) => [{ outcome }, count]),
  },
  {
    name: 'webhook_delivery_delay_seconds',
    help: 'Time from a change to the end of the first attempt to deliver it',
    type: 'histogram',
    read: () => [[{}, deliveries.figures.delays]],
  },
  {
    name: 'tls_certificate_remaining_days',
    help: 'Days until the certificate in use ends',
    type: 'gauge',
    aggregator: 'min',
    read: () => single(certificates?.remainingDays),
  },
];

/** The pools of a process, by a name for each. */
function poolFamilies({ database, replica }: DatabaseConnection): readonly Family[] {
  const pools: readonly (readonly [string, PoolFigures])[] = [
    ['primary', database.figures],
    ...(replica ? [['standby', replica.figures] as const] : []),
  ];
  const of = (read: (figures: PoolFigures) => Iterable<Sample>) => () =>
    pools.flatMap(([name, figures]) =>
      [...read(figures)].map(
        ([labels, value]): Sample => [{ db_client_connection_pool_name: name, ...labels }, value],
      ),
    );
  const state = 'db_client_connection_state';
  return [
    {
      name: 'db_client_operation_duration_seconds',
      help: 'Time that statements took which were answered, by what they do to which table',
      type: 'histogram',
      read: of(({ records }) =>
        [...records.all()].map(({ name, seconds }) => [{ db_query_summary: name }, seconds]),
      ),
    },
    {
      name: 'db_client_response_returned_rows',
      help: 'Rows that statements returned',
      type: 'histogram',
      read: of(({ records }) =>
        [...records.all()].map(({ name, rows }) => [{ db_query_summary: name }, rows]),
      ),
    },
    {
      name: 'db_client_operation_errors_total',
      help: 'Statements that failed, by their SQLSTATE; other where the connection broke',
      type: 'counter',
      read: of(({ records }) =>
        [...records.errors.entries()].map(([code, count]) => [
          { db_response_status_code: code },
          count,
        ]),
      ),
    },
    {
      name: 'db_client_connection_count',
      help: 'Connections to the database, in use and idle',
      type: 'gauge',
      read: of(({ pool: { totalCount, idleCount } }) => [
        [{ [state]: 'used' }, totalCount - idleCount],
        [{ [state]: 'idle' }, idleCount],
      ]),
    },
    {
      name: 'db_client_connection_max',
      help: 'Connections to the database that there may be',
      type: 'gauge',
      read: of(({ poolSize }) => single(poolSize)),
    },
    {
      name: 'db_client_connection_pending_requests',
      help: 'Statements and transactions that wait for a connection',
      type: 'gauge',
      read: of(({ pool, scheduler }) => single(scheduler.waiting + pool.waitingCount)),
    },
    {
      name: 'db_client_connection_timeouts_total',
      help: 'Statements and transactions that waited for a connection in vain',
      type: 'counter',
      read: of(({ scheduler }) => single(scheduler.timeouts)),
    },
    {
      name: 'db_client_connection_wait_time_seconds',
      help: 'Time for which statements and transactions waited that had to, and got a connection',
      type: 'histogram',
      read: of(({ scheduler }) => [[{}, scheduler.waits]]),
    },
  ];
}

/** How long the database may take to say what all processes have in common, in milliseconds. */
const limitMs = 1000;

/** What {@link sharedFamilies} shows; undefined where the database did not say. */
interface Reading {
  readonly changesBehind?: number | undefined;
  readonly due?: number | undefined;
  readonly oldestDue?: number | undefined;
  readonly standbyBehind?: number | undefined;
  readonly pending?: number | undefined;
  readonly answers: number;
}

/** What the database is asked for, once for each time that somebody looks, and beside the pool. */
function sharedFamilies({ probe, replica }: DatabaseConnection): readonly Family[] {
  const backlog = new BacklogReader(probe);
  const ask = async (): Promise<Reading> => {
    const until = performance.now() + limitMs;
    const [behind, standby, migrated] = await Promise.all([
      inTime(backlog.read()),
      inTime(replica?.delay(probe, until)),
      inTime(isMigrated(probe)),
    ]);
    return {
      ...behind,
      standbyBehind: standby,
      pending: migrated === undefined ? undefined : Number(!migrated),
      answers: Number(behind !== undefined),
    };
  };
  let answer: Promise<Reading> | undefined;
  const reading = () => {
    answer ??= ask().finally(() => {
      answer = undefined;
    });
    return answer;
  };
  const gauge = (name: string, help: string, key: keyof Reading): Family => ({
    name,
    help,
    type: 'gauge',
    read: async () => single((await reading())[key]),
  });
  return [
    gauge('database_up', 'Whether the database answers within a second', 'answers'),
    gauge(
      'changes_behind_seconds',
      'For how long a transaction has held up the feed of changes',
      'changesBehind',
    ),
    gauge('webhook_deliveries_due', 'Deliveries to webhooks that are due', 'due'),
    gauge('webhook_oldest_due_seconds', 'For how long the first of these is due', 'oldestDue'),
    gauge('standby_behind_seconds', 'By how much the standby is behind', 'standbyBehind'),
    gauge('migrations_pending', 'Whether the database lacks a migration', 'pending'),
  ];
}

/** @returns undefined for what fails or does not come in time */
function inTime<T>(coming: Promise<T> | undefined): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs, undefined).unref();
    const end = (value: T | undefined) => {
      clearTimeout(timer);
      resolve(value);
    };
    if (coming) coming.then(end, () => end(undefined));
    else end(undefined);
  });
}
