/** What a statement has that Citus does not take, as far as its text shows it. */
import { parseSync } from 'libpg-query';

/** A node of the parsed statement: an object by what it is, or a list of them. */
type Node = unknown;

const fields = (node: Node): Readonly<Record<string, unknown>> =>
  typeof node === 'object' && node !== null ? { ...node } : {};

/**
 * Looks for WITH queries that only read and have no columns, which Citus cannot keep between two steps, for rows as
 * text in the conditions of an UPDATE or a DELETE, which depend on settings, for WITH queries that lock rows by IN (SELECT),
 * whose columns it then writes in one format and reads in another, and for columns that become an item of an
 * array, or some of its items, which end the coordinator with a fault. A cast to a type of a certain length is something
 * else to Citus; any other may be to the type that it has.
 * @param sql one statement, which PostgreSQL's own parser reads
 * @returns what is wrong, in words; nothing when all is well
 */
export function refused(sql: string): readonly string[] {
  const faults: string[] = [];
  for (const { stmt } of parseSync(sql).stmts ?? []) visit(stmt, false, faults);
  return faults;
}

function visit(node: Node, isCondition: boolean, faults: string[]): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, isCondition, faults);
    return;
  }
  for (const [kind, inner] of Object.entries(fields(node))) {
    if (kind === 'CommonTableExpr') {
      const { ctename, ctequery } = fields(inner);
      const { SelectStmt } = fields(ctequery);
      const { targetList, valuesLists, larg, lockingClause, whereClause } = fields(SelectStmt);
      if (lockingClause && isInQuery(whereClause)) {
        faults.push(`${String(ctename)} locks rows that are in another query`);
      }
      if (SelectStmt && !(targetList || valuesLists || larg)) {
        faults.push(`${String(ctename)} has no columns`);
      }
    }
    if (kind === 'TypeCast' && isCondition && 'RowExpr' in fields(fields(inner)['arg'])) {
      faults.push('a row as text in the condition of a write');
    }
    if (kind === 'UpdateStmt' || kind === 'onConflictClause') {
      const { targetList } = fields(inner);
      if (Array.isArray(targetList)) faults.push(...targetList.flatMap(itemOf));
    }
    if (kind === 'UpdateStmt' || kind === 'DeleteStmt') {
      const { whereClause, ...rest } = fields(inner);
      visit(whereClause, true, faults);
      visit(rest, false, faults);
    } else visit(inner, isCondition && kind !== 'SubLink', faults);
  }
}

/** What an assignment has that is an item of an array, or some of its items. */
function itemOf(target: Node): readonly string[] {
  const { name, val } = fields(fields(target)['ResTarget']);
  const { indirection } = fields(fields(withoutCasts(val))['A_Indirection']);
  const isItem =
    Array.isArray(indirection) && indirection.some((step) => 'A_Indices' in fields(step));
  return isItem ? [`${String(name)} becomes an item of an array`] : [];
}

function withoutCasts(value: Node): Node {
  const { arg, typeName } = fields(fields(value)['TypeCast']);
  return arg && !fields(typeName)['typmods'] ? withoutCasts(arg) : value;
}

/** Whether a condition asks, beside whatever else, whether a value is among those of a query. */
const isInQuery = (node: Node): boolean =>
  Array.isArray(node)
    ? node.some(isInQuery)
    : Object.entries(fields(node)).some(
        ([kind, inner]) =>
          (kind === 'SubLink' && fields(inner)['subLinkType'] === 'ANY_SUBLINK') ||
          (kind !== 'SubLink' && isInQuery(inner)),
      );
