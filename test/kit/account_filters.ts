/** Which tables of a statement it does not bind to one account. */
import { loadModule, parseSync } from 'libpg-query';
import { referenceTables } from '../../src/db/migrations/distribute.ts';
import { internal, tables as records } from '../../src/generated/shapes.ts';
import { refused } from './citus_limits.ts';

/** A node of the parsed statement: an object by what it is, or a list of them. */
type Node = unknown;
type Fields = Readonly<Record<string, unknown>>;

/** A table of accounts that a query names. */
interface Named {
  readonly table: string;
  readonly alias: string;
}

interface Table extends Named {
  readonly isBound: boolean;
}

const fields = (node: Node): Fields =>
  typeof node === 'object' && node !== null ? { ...node } : {};
const list = (node: Node): readonly Node[] => (Array.isArray(node) ? node : []);
const text = (node: Node): string | undefined => (typeof node === 'string' ? node : undefined);

/** The node within, when it is of a kind. */
const as = (node: Node, kind: string): Fields | undefined => {
  const inner = fields(node)[kind];
  return inner === undefined ? undefined : fields(inner);
};

const statements = new Set(['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt']);

/** Tables that show which accounts have work for the service itself. */
const listed = ['webhooks', 'idempotency_keys', 'erasures'];

/** The same of records: which accounts have events that fall due, and texts to be folded anew, and contacts without keys. */
const known = [
  /^SELECT account_id FROM events WHERE "done_at" IS NULL AND .* GROUP BY account_id /,
  /^SELECT DISTINCT account_id FROM "\w+" WHERE folded_by IS DISTINCT FROM \d+$/,
  /^SELECT DISTINCT account_id FROM "contacts" WHERE colleague_key IS NULL$/,
];

const tables: ReadonlySet<string> = new Set([...Object.keys(records), ...internal]);

/** Must have been called before anything is asked. */
export const loadParser = loadModule;

/**
 * Looks for tables of accounts that a statement reads or writes without comparing their `account_id`
 * with a value that is sent: a comparison with the `account_id` of another table does not count,
 * because only the value says which of several databases has the rows. A statement about nothing but users
 * and tokens may look for them in all accounts, and so may a SELECT of which accounts have webhooks,
 * stored answers, erasures that are not finished, events that fall due, or texts to be folded anew.
 * @param sql one statement, which PostgreSQL's own parser reads
 * @returns each such table, and its alias in the statement; none when all is well
 */
export function unbound(sql: string): readonly string[] {
  const found: Table[] = [];
  for (const { stmt } of parseSync(sql).stmts ?? []) visit(stmt, new Set(), found);
  const isOfAll = found.every(({ table }) => referenceTables.includes(table));
  const isList = /^SELECT /.test(sql) && found.every(({ table }) => listed.includes(table));
  return isOfAll || isList || known.some((each) => each.test(sql))
    ? []
    : found.filter(({ isBound }) => !isBound).map(({ table, alias }) => `${table} ${alias}`);
}

/** What nothing was found in: services of many files send the same. */
const sound = new Set<string>();

/**
 * Holds for every service and every search that a test runs, once it ends.
 * @throws {Error} naming what each statement leaves unbound, or has that Citus does not take
 */
export function requireDistributable(statements: Iterable<string>): void {
  const faulty = [...statements].flatMap((sql) => {
    if (sound.has(sql)) return [];
    const faults = [...unbound(sql).map((table) => `${table} not bound`), ...refused(sql)];
    if (faults.length > 0) return [`${faults.join(', ')}: ${sql}`];
    sound.add(sql);
    return [];
  });
  if (faulty.length > 0) throw new Error(`Not for several servers: ${faulty.join('\n')}`);
}

/** Goes through everything beneath a node; `known` are WITH queries that hide tables of their name. */
function visit(node: Node, known: ReadonlySet<string>, found: Table[]): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, known, found);
    return;
  }
  for (const [kind, inner] of Object.entries(fields(node))) {
    if (statements.has(kind)) visitQuery(kind, fields(inner), known, found);
    else visit(inner, known, found);
  }
}

function visitQuery(kind: string, query: Fields, known: ReadonlySet<string>, found: Table[]): void {
  const { larg, rarg, ...rest } = query;
  const ctes = list(fields(query['withClause'])['ctes']).map((each) => as(each, 'CommonTableExpr'));
  const names = new Set([...known, ...ctes.flatMap((cte) => text(cte?.['ctename']) ?? [])]);
  // The two sides of a UNION stand there without their kind.
  for (const side of [larg, rarg]) if (side) visitQuery(kind, fields(side), names, found);
  found.push(...tablesOf(kind, query, names));
  visit(rest, names, found);
}

/** The tables of a single query, without those beneath it. */
function tablesOf(kind: string, query: Fields, known: ReadonlySet<string>): Table[] {
  const conditions: Node[] = [query['whereClause']];
  const from = [...list(query['fromClause']), ...list(query['usingClause'])];
  const named = from.flatMap((each) => namedIn(each, conditions, known));
  const relation = namedBy(fields(query['relation']), known);
  if (kind === 'InsertStmt') {
    return relation.map((table) => ({ ...table, isBound: holdsAccount(query) }));
  }
  const all = [...named, ...relation];
  const isOne = from.length + (query['relation'] ? 1 : 0) === 1;
  const bound = conditions.flatMap(compared);
  return all.map((table) => ({
    ...table,
    isBound: bound.some((alias) => alias === table.alias || (isOne && alias === undefined)),
  }));
}

/** The tables of accounts that stand in FROM; the conditions of their joins are collected. */
function namedIn(node: Node, conditions: Node[], known: ReadonlySet<string>): Named[] {
  const table = as(node, 'RangeVar');
  if (table) return namedBy(table, known);
  const joined = as(node, 'JoinExpr');
  if (!joined) return [];
  conditions.push(joined['quals']);
  return [joined['larg'], joined['rarg']].flatMap((each) => namedIn(each, conditions, known));
}

function namedBy({ relname, alias }: Fields, known: ReadonlySet<string>): Named[] {
  const table = text(relname);
  if (table === undefined || !tables.has(table) || known.has(table)) return [];
  return [{ table, alias: text(fields(alias)['aliasname']) ?? table }];
}

/** The aliases whose `account_id` a condition says to be a value; undefined where it names none. */
function compared(condition: Node): (string | undefined)[] {
  const all = as(condition, 'BoolExpr');
  if (all?.['boolop'] === 'AND_EXPR') return list(all['args']).flatMap(compared);
  const equal = as(condition, 'A_Expr');
  const isEqual = as(list(equal?.['name'])[0], 'String')?.['sval'] === '=';
  if (!isEqual || !isValue(equal?.['rexpr'])) return [];
  const path = list(as(equal?.['lexpr'], 'ColumnRef')?.['fields']).map((each) =>
    text(as(each, 'String')?.['sval']),
  );
  return path.at(-1) === 'account_id' ? [path.at(-2)] : [];
}

/** A parameter or a constant, with or without a cast. */
function isValue(node: Node): boolean {
  const cast = as(node, 'TypeCast');
  return cast ? isValue(cast['arg']) : Boolean(as(node, 'ParamRef') ?? as(node, 'A_Const'));
}

/** Whether an INSERT writes a value that is sent as `account_id`. */
function holdsAccount(query: Fields): boolean {
  const at = list(query['cols']).findIndex(
    (each) => as(each, 'ResTarget')?.['name'] === 'account_id',
  );
  const source = as(query['selectStmt'], 'SelectStmt');
  const targets = list(source?.['targetList']).map((each) => as(each, 'ResTarget')?.['val']);
  const rows = list(source?.['valuesLists']).map((row) => list(as(row, 'List')?.['items']));
  return (rows.length > 0 ? rows : [targets]).every((row) => isValue(row[at]));
}
