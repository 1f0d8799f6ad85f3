/** One statement on the wire, in PostgreSQL's extended protocol. */
import pg from 'pg';
import { memoize } from '../../lib/memoize.ts';
import { type Parse, parameter, types } from '../sql/values.ts';
import type { PreparedStatement } from './statement_names.ts';

declare module 'pg' {
  interface Connection {
    /** Texts of the statements that are prepared on it, and of those about to be, by their names. */
    readonly parsedStatements: Record<string, string | undefined>;
    readonly submittedNamedStatements: Record<string, string | undefined>;
  }
}

interface Column {
  readonly name: string;
  readonly parse: Parse;
}

/** What the driver passes on of a row description and of a row. */
interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}
interface DataRow {
  readonly fields: readonly (string | null)[];
}

// What a prepared statement returns cannot change on the connection that it was prepared on:
// PostgreSQL would refuse to run it.
const known = memoize((_: pg.Connection) => new Map<string, readonly Column[]>());

/** Statements that return nothing, to be done before another and after it. */
export interface SideStatements {
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** What a statement brings with it, until it is over. */
interface PendingQuery {
  readonly statement: PreparedStatement;
  readonly rows: unknown[];
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The driver's own query asks to have its columns described each time and prepares for each row to
 * be listened to, which takes both sides longer than many a statement. This one asks once for each
 * connection, of a statement that stays prepared. It may have others around it, such as BEGIN and
 * COMMIT: they go out together, and PostgreSQL passes over the rest once one of them fails.
 *
 * Where it has a time limit of its own, the driver gives it a callback that V8 creates among its old objects.
 * Until a full collection that keeps whatever it can reach: the rows, and through those who waited for them the
 * whole request. So nothing stays here of a statement that is over.
 */
export class PreparedQuery extends pg.Query {
  /** By which the driver keeps in mind what is prepared: none while those ahead are at work. */
  name: string;
  /** Tells the driver that it is to be prepared, which without values and a name it would not be. */
  readonly queryMode: 'extended' | undefined;
  /** After which the driver gives the connection up; undefined: `dead_connections.ts` does, after what is usual there. */
  readonly query_timeout: number | undefined;
  /** Set by the driver where it has a time limit of its own, to be told that it is over. */
  declare callback: (() => void) | undefined;
  /** The driver's, too. */
  declare text: string;
  declare values: (string | null)[];
  #pending: PendingQuery | undefined;
  readonly #before: readonly string[];
  readonly #after: readonly string[];
  /** How many of those ahead are not done. */
  #left: number;
  #connection: pg.Connection | undefined;
  #columns: readonly Column[] | undefined;
  #failure: Error | undefined;

  /**
   * @param ms how long to wait for the answer; undefined: as long as for any
   */
  constructor(
    statement: PreparedStatement,
    values: readonly unknown[],
    resolve: (rows: unknown[]) => void,
    reject: (error: Error) => void,
    ms?: number,
    { before = [], after = [] }: SideStatements = {},
  ) {
    const { name, text } = statement;
    super(text, values.map(parameter));
    this.name = before.length === 0 ? name : '';
    this.queryMode = before.length === 0 ? undefined : 'extended';
    this.query_timeout = ms;
    this.#pending = { statement, rows: [], resolve, reject };
    this.#before = before;
    this.#after = after;
    this.#left = before.length;
  }

  /** Called by the driver once the connection takes the statement. */
  prepare(connection: pg.Connection): void {
    if (!this.#pending) return;
    for (const text of this.#before) send(connection, text);
    const { name, text } = this.#pending.statement;
    const { parsedStatements: parsed, submittedNamedStatements: submitted } = connection;
    if (!name || (parsed[name] === undefined && submitted[name] === undefined)) {
      connection.parse({ name, text, types: [] }, false);
      if (name) submitted[name] = text;
    } else {
      this.#columns = known(connection).get(name);
    }
    connection.bind({ statement: name, values: this.values }, false);
    this.values = [];
    if (!this.#columns) {
      this.#connection = connection;
      connection.describe({ type: 'P' }, false);
    }
    connection.execute(null, false);
    for (const text of this.#after) send(connection, text);
    connection.sync();
  }

  handleRowDescription({ fields }: RowDescription): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: types.getTypeParser(dataTypeID),
    }));
    const name = this.#pending?.statement.name;
    if (this.#connection && name) known(this.#connection).set(name, this.#columns);
  }

  handleDataRow({ fields }: DataRow): void {
    const row: Record<string, unknown> = {};
    try {
      const columns = this.#columns ?? [];
      // A pooler may have prepared the statement anew elsewhere, after a migration.
      if (columns.length !== fields.length) throw new Error('a row is not as it was described');
      columns.forEach(({ name, parse }, at) => {
        const text = fields[at] ?? null;
        row[name] = text === null ? null : parse(text);
      });
      this.#pending?.rows.push(row);
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  /** How many rows there were is not asked for. */
  handleCommandComplete(): void {
    if (this.#left === 0) return;
    this.#left -= 1;
    if (this.#left === 0) this.name = this.#pending?.statement.name ?? '';
  }

  /** What stood behind one that failed was not prepared. */
  handleError(error: Error, connection: pg.Connection): void {
    const name = this.#pending?.statement.name;
    if (this.#left > 0 && name) delete connection.submittedNamedStatements[name];
    this.#settle(error);
  }

  handleReadyForQuery(): void {
    this.#settle(this.#failure);
  }

  /** Once and for all: of a connection that is given up the driver tells each statement again. */
  #settle(error: Error | undefined): void {
    const pending = this.#pending;
    if (!pending) return;
    this.#pending = undefined;
    this.text = '';
    this.callback?.();
    if (error) pending.reject(error);
    else pending.resolve(pending.rows);
  }
}

/**
 * Sends a statement over a connection: the one thing that the service asks of the driver's protocol.
 * @param ms how long to wait for the answer; undefined: as long as for any
 */
export function sendQuery(
  client: { query(query: pg.Submittable): unknown },
  statement: PreparedStatement,
  values: readonly unknown[],
  resolve: (rows: unknown[]) => void,
  reject: (error: Error) => void,
  ms?: number,
  around?: SideStatements,
): void {
  client.query(new PreparedQuery(statement, values, resolve, reject, ms, around));
}

/** Sends a statement that returns nothing, and is not kept prepared. */
function send(connection: pg.Connection, text: string): void {
  connection.parse({ name: '', text, types: [] }, false);
  connection.bind({}, false);
  connection.execute(null, false);
}
