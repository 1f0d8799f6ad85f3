/** Writes whose SQL is the same for all values. */
import { empty, type Form, marked, type Sql, template } from '../../../db/sql/sql.ts';
import type { Values } from '../../audit/changes.ts';
import { type Author, anyAuthor, authorValues } from '../../audit/entry.ts';

/**
 * @param key of no other form
 * @param names of the values, of which `steps` uses each at least once
 * @param steps composes the WITH queries of a write, around a piece of SQL if the form has one; nothing but what it
 *   is called with may change their text
 * @returns the form of the steps with an author, values and a piece
 */
export function formOf(
  key: string,
  names: readonly string[],
  steps: (author: Author, values: Values, piece: Sql) => Sql,
): (author: Author, values: Values, piece?: Sql) => Form<Sql> {
  const marks = Object.fromEntries(names.map((name) => [name, Symbol(name)]));
  const parameters = [...authorValues(anyAuthor), ...Object.values(marks)];
  return (author, values, piece = empty) => ({
    key: `${key} ${piece.strings.join('\0')}`,
    values: [...authorValues(author), ...names.map((name) => values[name]), ...piece.values],
    template: (compose) => {
      const within = marked(piece);
      const composed = compose(steps(anyAuthor, marks, within.sql));
      return template(composed, [...parameters, ...within.parameters]);
    },
  });
}
