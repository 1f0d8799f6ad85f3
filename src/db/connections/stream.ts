/** A statement whose rows are read as they come, and no faster than they are used. */
import pg from 'pg';
import { parameter } from '../sql/values.ts';

/** At most about this many characters are buffered; then PostgreSQL has to wait. */
const maxBuffered = 64 * 1024;

interface DataRow {
  readonly fields: readonly (string | null)[];
}

/** A statement of one text column. To be sent on a connection that has nothing else to do meanwhile. */
export class TextStream extends pg.Query {
  /** Set by the driver. */
  declare callback: (error?: Error) => void;
  readonly #connection: pg.Connection;
  readonly #text: string;
  readonly #values: (string | null)[];
  #rows: string[] = [];
  #held = 0;
  #isPaused = false;
  #end: { readonly error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;

  constructor(client: pg.PoolClient, text: string, values: readonly unknown[]) {
    const parameters = values.map(parameter);
    super(text, parameters, (error) => this.#finish(error));
    this.#connection = connectionIn(client);
    this.#text = text;
    this.#values = parameters;
  }

  /** Called by the driver once the connection takes the statement. */
  prepare(connection: pg.Connection): void {
    connection.parse({ name: '', text: this.#text, types: [] }, false);
    connection.bind({ statement: '', values: this.#values }, false);
    connection.execute(null, false);
    connection.sync();
  }

  handleDataRow({ fields: [text] }: DataRow): void {
    this.#rows.push(text ?? '');
    this.#held += text?.length ?? 0;
    if (this.#held >= maxBuffered && !this.#isPaused) {
      this.#isPaused = true;
      this.#connection.stream.pause();
    }
    this.#wake?.();
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback();
  }

  #finish(error: Error | undefined): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  /** The rows in their order, those at once that have come; what is left is read when they are asked for. */
  async *batches(): AsyncGenerator<readonly string[]> {
    for (;;) {
      if (this.#rows.length > 0) {
        const rows = this.#rows;
        this.#rows = [];
        this.#held = 0;
        yield rows;
      } else if (this.#end) {
        if (this.#end.error) throw this.#end.error;
        return;
      } else {
        if (this.#isPaused) {
          this.#isPaused = false;
          this.#connection.stream.resume();
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

/** The driver's own connection beneath a client. */
export function connectionIn(client: pg.PoolClient): pg.Connection {
  const { connection } = client as pg.PoolClient & { readonly connection: pg.Connection };
  return connection;
}
