/** Writes whose SQL is the same for all values. */
import { type Form, type Sql, template } from '../../../db/sql/sql.ts';
import { type Author, anyAuthor, authorValues } from '../../audit/entry.ts';

/** What is written, by name. */
type Values = Readonly<Record<string, unknown>>;

/**
 * @param key of no other form
 * @param names of the values, of which `steps` uses each at least once
 * @param steps composes the WITH queries of a write; nothing but what it is called with may change their text
 * @returns the form of the steps with an author and values
 */
export function formOf(
  key: string,
  names: readonly string[],
  steps: (author: Author, values: Values) => Sql,
): (author: Author, values: Values) => Form<Sql> {
  const marks = Object.fromEntries(names.map((name) => [name, Symbol(name)]));
  const parameters = [...authorValues(anyAuthor), ...Object.values(marks)];
  return (author, values) => ({
    key,
    values: [...authorValues(author), ...names.map((name) => values[name])],
    template: (compose) => template(compose(steps(anyAuthor, marks)), parameters),
  });
}
