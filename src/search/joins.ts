/** Rows that paths lead to, joined to the record that they start from. */
import {
  columnValue,
  expression,
  isSource,
  sourceAlias,
  sourceRows,
} from '../db/sql/computed_column.ts';
import type { ComputedColumn, Shape, ShapeName, Shapes } from '../db/sql/shape.ts';
import { type AccountId, empty, join, name, type Sql, sql } from '../db/sql/sql.ts';
import { associationOf, outerJoin, type Row, type Step, stepTo } from './associations.ts';
import type { Attribute } from './search.ts';

/** Outer joins, each path's once: what lies behind the same path is of the same row. */
export class Joins {
  readonly #shapes: Shapes;
  readonly #accountId: AccountId;
  readonly #start: Row;
  readonly #steps = new Map<string, Step>();
  readonly #links = new Set<Step['links'][number]>();
  readonly #labels = new Set<string>();
  readonly #joins: Sql[] = [];

  /** @param row that paths start from; besides its alias `o1`, `o2`, … are taken */
  constructor(row: Row, shapes: Shapes, accountId: AccountId) {
    this.#shapes = shapes;
    this.#accountId = accountId;
    this.#start = row;
  }

  rowAt(path: readonly string[]): Row {
    const last = path.at(-1);
    if (last === undefined) return this.#start;
    const { row, links } = this.#stepTo(path);
    this.#join(links);
    return row;
  }

  #stepTo(path: readonly string[]): Step {
    const known = this.#steps.get(path.join('.'));
    if (known) return known;
    const before = this.rowAt(path.slice(0, -1));
    const alias = `o${this.#steps.size + 1}`;
    const step = stepTo(before, path.at(-1) ?? '', this.#shapes, this.#accountId, alias);
    this.#steps.set(path.join('.'), step);
    return step;
  }

  #join(links: readonly Step['links'][number][]): void {
    for (const link of links) {
      if (this.#links.has(link)) continue;
      this.#links.add(link);
      this.#joins.push(outerJoin(link));
    }
  }

  /** The value of a column that is computed from another row. */
  computed(computed: ComputedColumn, { alias }: Row): Sql {
    const by = sourceAlias(alias);
    const source = sourceRows(computed, this.#shapes, this.#accountId, by);
    this.#joins.push(sql`LEFT JOIN ${source} ON ${isSource(computed, alias, by, this.#accountId)}`);
    return expression(computed, alias, by, this.#accountId);
  }

  /** The value of an attribute; of labels one row for each, with null where there are none. */
  valueOf(attribute: Attribute): Sql {
    const value = this.wholeOf(attribute);
    const { path, column: of, kind, key } = attribute;
    if (kind !== 'labels' || key !== undefined) return value;
    return this.#eachOf(value, `${this.rowAt(path).alias}_${of}`);
  }

  /** The value of an attribute; of labels the list of them. */
  wholeOf({ path, column: of, key }: Attribute): Sql {
    if (of === 'id' && path.length > 0) {
      const { id, links } = this.#stepTo(path);
      this.#join(id ? links.slice(0, -1) : links);
      if (id) return id;
    }
    const row = this.rowAt(path);
    const computed = row.shape.computed?.[of];
    if (computed) return this.computed(computed, row);
    const value = columnValue(row.shape, of, row.alias, this.#accountId);
    return key === undefined ? value : sql`(${value} ->> ${key}::text)`;
  }

  /** Whether rows are joined for each of its labels. */
  isEach({ path, column: of }: Attribute): boolean {
    return this.#labels.has(`${this.rowAt(path).alias}_${of}`);
  }

  #eachOf(labels: Sql, alias: string): Sql {
    if (!this.#labels.has(alias)) {
      this.#labels.add(alias);
      this.#joins.push(sql`LEFT JOIN LATERAL unnest(${labels}) AS ${name(alias)} (label) ON true`);
    }
    return sql`${name(alias)}.label`;
  }

  /** How many tables are joined. */
  get size(): number {
    return this.#joins.length;
  }

  /** What follows the record's table after FROM. */
  get sql(): Sql {
    return this.#joins.length > 0 ? join(this.#joins, ' ') : empty;
  }
}

/** Whether one record may have several values of an attribute. */
export const isMany = ({ path, kind }: Attribute, of: ShapeName, shapes: Shapes): boolean =>
  kind === 'labels' || waysOf(path, of, shapes).some(({ many }) => many);

/** Whether an attribute is a text or a list that the record itself has. */
export const isOwnText = ({ path, column, kind }: Attribute, { computed }: Shape): boolean =>
  path.length === 0 && !computed?.[column] && (kind === 'text' || kind === 'labels');

/** Whether several rows that a path leads to from one record may have the same value of an attribute. */
export function repeats(attribute: Attribute, of: ShapeName, shapes: Shapes): boolean {
  const ways = waysOf(attribute.path, of, shapes);
  const last = ways.at(-1);
  if (!ways.some(({ many }) => many) || !last) return false;
  if (ways.slice(0, -1).some(({ many }) => many)) return true;
  const { on, to, through } = last;
  const { unique = [] } = shapes[through?.table ?? to];
  if (!through) {
    return ![['id'], ...unique].some((key) =>
      key.every((one) => one === attribute.column || one in on),
    );
  }
  const met = [...Object.keys(through.on), ...Object.values(on)];
  return attribute.column !== 'id' || !unique.some((key) => key.every((one) => met.includes(one)));
}

/**
 * Whether the id that another attribute of a record is says which row a path begins with: all that lies behind it is
 * the same for records that have the same there.
 */
export function followsFrom(
  { path: [step] }: Attribute,
  id: Attribute | undefined,
  of: ShapeName,
  shapes: Shapes,
): boolean {
  if (step === undefined || id?.path.length !== 0) return false;
  const { on, many } = associationOf(shapes[of], step);
  return !many && on['id'] === id.column;
}

const waysOf = (path: readonly string[], of: ShapeName, shapes: Shapes) => {
  let at = shapes[of];
  return path.map((step) => {
    const way = associationOf(at, step);
    at = shapes[way.to];
    return way;
  });
};
