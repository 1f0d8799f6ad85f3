import { readScopesOf } from '../../auth/policy.ts';
import type { RequiredScope } from '../../auth/scopes.ts';
import type { Association, Relation, ShapeName } from '../../db/sql/shape.ts';
import { invalid } from '../../errors/errors.ts';
import { tables } from '../../generated/shapes.ts';
import { shapes } from '../../resources/shapes.ts';
import { parseSearch } from '../../search/parse.ts';
import { limits } from '../../search/search.ts';
import { tablesOf } from '../../search/tables.ts';
import { conditionsIn, filterOf } from '../../search/within.ts';

/** The searches within the lists of one selection, which is one statement. */
export class NestedSearches {
  /** The read scopes of what they look at beside the records that they find. */
  readonly scopes: RequiredScope[] = [];
  #conditions = 0;

  /**
   * Reads the `query` of a list.
   * @throws {Fault} INVALID_SEARCH where it cannot be read, or all of them together ask too much
   */
  filter(query: unknown, association: Association): Pick<Relation, 'filter'> {
    const search = parseSearch(query, association.to, shapes);
    const conditions = conditionsIn(search.where);
    if (conditions === 0 && search.sorts.length === 0) return {};
    this.#conditions += conditions;
    if (this.#conditions > limits.conditions) {
      const message = `has more than ${limits.conditions} conditions in all lists together`;
      throw invalid('query', message, 'INVALID_SEARCH');
    }
    for (const table of tablesOf(search, shapes)) this.#look(table);
    return { filter: filterOf(search, association, shapes) };
  }

  /** The same of the number of its records, which tells of them, whatever the query. */
  count(query: unknown, association: Association): Pick<Relation, 'filter'> {
    this.#look(association.to);
    return this.filter(query, association);
  }

  #look(table: ShapeName): void {
    this.scopes.push(...readScopesOf([tables[table].one]));
  }
}
