/** What statements have taken, by what they do: for operators. */
import { tables } from '../../generated/shapes.ts';
import { Counts, others } from '../../lib/counts.ts';
import { Histogram } from '../../lib/histogram.ts';
import type { PreparedStatement } from './statement_names.ts';

/** Seconds. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

const rowCounts = [0, 1, 10, 100, 1000, 10_000] as const;

/** Names that have figures of their own. */
const maxNames = 60;

/** SQLSTATEs that are counted by themselves. */
const maxCodes = 40;

/** A lock or a result that did not come in time; what PostgreSQL lacks: disk, memory, connections. */
const expectedCodes = ['55P03', '57014', '53100', '53200', '53300', others] as const;

/** What the statements of one name have taken. */
export class StatementRecord {
  /** Such as `SELECT contacts`. */
  readonly name: string;
  readonly seconds = new Histogram(durations);
  readonly rows = new Histogram(rowCounts);

  constructor(name: string) {
    this.name = name;
  }

  /** Notes a statement that was answered. */
  note(ms: number, rows: number): void {
    this.seconds.note(ms / 1000);
    this.rows.note(rows);
  }
}

/** The figures of one pool's statements. */
export class StatementRecords {
  readonly #byName = new Map<string, StatementRecord>();
  /** Those of prepared statements by what they are prepared as, of which there are few thousand. */
  readonly #byPrepared = new Map<string, StatementRecord>();
  /** Statements that failed, by their SQLSTATE. */
  readonly errors = new Counts(maxCodes, expectedCodes);

  of({ name: prepared, text }: PreparedStatement): StatementRecord {
    if (!prepared) return this.#named(text);
    const known = this.#byPrepared.get(prepared);
    if (known) return known;
    const record = this.#named(text);
    this.#byPrepared.set(prepared, record);
    return record;
  }

  /** The record of a text's name, or that of all others once there are many names. */
  #named(text: string): StatementRecord {
    const own = statementName(text);
    const known = this.#byName.get(own);
    if (known) return known;
    const name = this.#byName.size < maxNames - 1 ? own : others;
    const record = this.#byName.get(name) ?? new StatementRecord(name);
    this.#byName.set(name, record);
    return record;
  }

  all(): Iterable<StatementRecord> {
    return this.#byName.values();
  }
}

/** Parentheses, and words that name a table behind them. */
const step = /[()]|\b(INSERT INTO|UPDATE|DELETE FROM|FROM|JOIN)\s+"?([a-z_]+)"?/g;

/** What nearly every write writes besides. */
const trail = 'audit_entries';

/** What a statement does that writes to several tables: it creates something, if it creates anything. */
const rankOf = (verb: string, table: string): number => {
  if (table === trail) return 1;
  return verb === 'INSERT' ? 3 : 2;
};

/**
 * The name of a statement by OpenTelemetry's convention for a summary of a query: what it does, and to which
 * table; of a read the outermost.
 */
export function statementName(text: string): string {
  let depth = 0;
  let write = { name: '', rank: 0 };
  let scan: { readonly table: string; readonly depth: number } | undefined;
  for (const [match, words = '', table = ''] of text.matchAll(step)) {
    const [verb = ''] = words.split(' ', 1);
    if (match === '(') depth += 1;
    else if (match === ')') depth -= 1;
    else if (verb === 'FROM' || verb === 'JOIN') {
      if (table in tables && (!scan || depth < scan.depth)) scan = { table, depth };
    } else if (verb !== 'UPDATE' || table in tables) {
      // Another UPDATE is part of FOR UPDATE or of ON CONFLICT.
      const rank = rankOf(verb, table);
      if (rank > write.rank) write = { name: `${verb} ${table}`, rank };
    }
  }
  if (write.rank > 0) return write.name;
  return scan ? `SELECT ${scan.table}` : (/\w+/.exec(text)?.[0].toUpperCase() ?? others);
}
