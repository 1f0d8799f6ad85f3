import { operator } from '../auth/operator.ts';
import type { Signing } from '../auth/tokens.ts';
import type { Viewer, Viewers } from '../auth/viewer.ts';
import type { Database, Queryable } from '../db/database.ts';
import type { Sql } from '../db/sql/sql.ts';
import { Faults, type UnknownInput } from '../errors/errors.ts';
import type { Trace } from '../lib/tracing.ts';
import { type Budget, unbounded } from './budget.ts';

/** Where a call comes from. */
export interface Source {
  readonly ip: string;
  /** Empty where the client says nothing of itself. */
  readonly userAgent: string;
}

/**
 * What the finished parts of a call reported, each within its own transaction ({@link Database.outsideTransaction}), so
 * that a retry with the same key continues after the last of them.
 */
export interface Progress {
  /** What each finished part reported, by its number; null where that has since been erased. */
  answers(): Promise<ReadonlyMap<number, string | null>>;
  /**
   * Stores what a part reports, within its transaction.
   * @param part from 1 on
   * @param tellsOf the records whose values it shows, such as `contact:7`
   * @throws {DatabaseError} unique when the same call, made elsewhere at the same time, has done this part
   */
  keep(tx: Queryable, part: number, text: string, tellsOf: readonly string[]): Promise<void>;
}

/**
 * For a call with a key that does nothing but create one record, in one statement. That statement also looks
 * up an earlier answer and stores the new one, so the call needs no transaction.
 */
export interface InlineIdempotency {
  /**
   * Runs the statement: what it did stays done, whatever becomes of the rest.
   * @param one the type of the record, such as `contact`
   * @param steps WITH queries that write the record, unless there is a row in `known`
   * @param query a query of the record as it was written: its `id`, its `version`, and `record`, the text
   *   that the answer shows
   * @returns the row of `shown`
   * @throws an error that carries the earlier answer, when there is one
   */
  write<Row>(one: string, steps: Sql, query: Sql): Promise<Row>;
}

/** The sender of webhooks in this process. */
export interface Deliveries {
  /** @returns why nothing may be sent to a URL, as the rest of a sentence; undefined where it may */
  refusal(url: URL): string | undefined;
  /** To be called when webhooks have something to send, once that is committed. */
  wake(): void;
}

/**
 * What a use case knows about the call it serves; always its first argument. It says nothing about
 * HTTP or GraphQL and can be built without either.
 */
export interface Context {
  readonly viewer: Viewer;
  /** To be told of users and accounts that have changed. */
  readonly viewers: Viewers;
  readonly deliveries: Deliveries;
  readonly signing: Signing;
  readonly db: Database;
  /**
   * Undefined unless the call came with a key and does one thing: only such a call may be done in parts, and
   * a retry goes on after the last of them.
   */
  readonly progress?: Progress | undefined;
  /** Undefined where the call came without a key, or may do more than create one record. */
  readonly inlineIdempotency?: InlineIdempotency;
  /** Whether nothing that the call writes stays. */
  readonly isDryRun?: boolean;
  /** Correlates the answer, the log and the audit trail. */
  readonly requestId: string;
  /** Undefined where the call is not traced, and its caller did not say that it is part of a trace. */
  readonly trace?: Trace | undefined;
  /**
   * The program that calls, as it calls itself, such as `claude-code/2.1.0`: for the audit trail. Undefined for all
   * doors but that of agents.
   */
  readonly client?: string | undefined;
  /** Where the caller reached the service, for links that lead there: `https://crm.example.com`. */
  readonly origin: string;
  /** Asked for where a refusal is counted or recorded. */
  readonly source: () => Source;
  /**
   * When the call came, by this process's clock; in a transaction that has fixed its moment
   * (`fixMoment`), that moment, by the database's.
   */
  readonly now: Date;
  /**
   * Whether the selection is the service's own, as that of a REST route is. There are few of these,
   * so their statements stay prepared; clients' documents can select without end.
   */
  readonly ownSelection: boolean;
  /** Whether a search may name all fields of GraphQL, or only those that the REST interface has. */
  readonly searches: 'all' | 'specified';
  /** Parts of the request that do not belong there, to be reported with whatever else is wrong. */
  readonly misplaced: readonly UnknownInput[];
  /**
   * The fields of an update that is sent as a merge patch (RFC 7396): free-form objects among them are
   * merged into those that the record has, rather than replace them.
   */
  readonly patch?: Readonly<Record<string, unknown>>;
  /** The same of the records of a batch, by their place in it. */
  readonly misplacedIn?: ReadonlyMap<number, readonly UnknownInput[]> | undefined;
  /** What the call may use up, shared by everything it does. */
  readonly budget: Budget;
  /**
   * To be called with the place in the feed of changes after which what a search found may have changed;
   * undefined where nobody wants to know.
   */
  readonly noteCursor?: ((cursor: string) => void) | undefined;
  /** To be called with where a search's page lies among all; undefined where nobody wants to know. */
  readonly notePage?: ((page: PageNote) => void) | undefined;
  /** What the call demands of the version of the record that it changes or removes; undefined: nothing. */
  readonly expected?: Precondition;
  /**
   * To be called with the version and the id of the one record that the answer shows, whether or not they are
   * selected; undefined where nobody wants to know.
   */
  readonly noteVersion?: ((version: string, id: number) => void) | undefined;
  /** Announces changes to come. */
  readonly watch: Watching;
  /**
   * Holds the answer back. From then on it no longer counts among the requests in hand.
   * @param ms for how long; without end when not given
   * @throws {Fault} TOO_MANY_REQUESTS when the account has too many answers held back, UNAVAILABLE when all
   *   accounts together do
   */
  readonly hold: (ms?: number) => ParkedRequest;
}

/** What a call demands of the version of the record that it changes or removes. */
export interface Precondition {
  /** The record must have one of these; undefined: it may have any. */
  readonly among?: readonly string[] | undefined;
  /** It must have none of these; undefined: nothing is excepted. */
  readonly except?: readonly string[] | undefined;
  /** Why it is refused where it has none of `among`, in full sentences; undefined: it has changed. */
  readonly refusals?: readonly string[] | undefined;
}

/** Of a page, what its pagination object has no place for. */
export interface PageNote {
  /** Where the next page begins; null on the last one. */
  readonly next_cursor: string | null;
  /** What its count is. */
  readonly counted: 'exact' | 'estimate' | 'at_least';
  /** Whether its records match what was typed, or are only like it. */
  readonly match: 'EXACT' | 'SIMILAR';
}

/** The source of news about changes. */
export interface Watching {
  /**
   * Calls `heard` soon after changes of an account became readable.
   * @returns how to stop
   */
  listen(accountId: number, heard: () => void): () => void;
  /** Runs `ask` once for all callers that ask for the same at the same time. */
  once<T>(key: string, ask: () => Promise<T>): Promise<T>;
}

/** An answer that is held back. */
export interface ParkedRequest {
  /** Aborted when that is over; with a {@link Fault} where there must be no answer any more. */
  readonly signal: AbortSignal;
  end(): void;
}

/** A context whose statements may go to one transaction as well as to the pool; it signs no tokens. */
export type UnitOfWork = Omit<Context, 'db' | 'signing'> & { readonly db: Queryable };

/** Where to collect what is wrong with a call, beginning with its misplaced parts. */
export const faultsOf = (
  { misplaced }: Pick<Context, 'misplaced'>,
  code?: ConstructorParameters<typeof Faults>[0],
): Faults => new Faults(code, misplaced);

/** The context of the service's own work: what an operator does to an account. */
export const operating = <D extends Queryable>(
  {
    db,
    now,
    requestId,
    origin = '',
  }: { readonly db: D } & Pick<Context, 'now' | 'requestId'> & Partial<Pick<Context, 'origin'>>,
  accountId: number,
  defaultCountry: string | null = null,
): UnitOfWork & { readonly db: D } => ({
  viewer: { ...operator(accountId), defaultCountry },
  viewers: { forget: () => undefined },
  deliveries: { refusal: () => undefined, wake: () => undefined },
  db,
  now,
  requestId,
  origin,
  source: () => ({ ip: '', userAgent: '' }),
  ownSelection: false,
  searches: 'all',
  misplaced: [],
  budget: unbounded(),
  watch: { listen: () => () => undefined, once: (_, ask) => ask() },
  hold: () => ({ signal: AbortSignal.abort(), end: () => undefined }),
});
