/** Statements whose text is composed once for all of a form, and is the same string each time. */
import { LRUCache } from 'lru-cache';
import type { Selection } from '../../../db/sql/shape.ts';
import type { Form, Sql, Statement, Template } from '../../../db/sql/sql.ts';
import { memoize } from '../../../lib/memoize.ts';

/** The latest, by selection and form: clients choose among any number of both. */
const templates = new LRUCache<string, Template>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: ({ text }, key) => text.length + key.length,
});

let lastNumber = 0;
const numberOf = memoize((_: Selection) => ({ number: (lastNumber += 1) }));

/** @param compose the SQL; nothing but the selection may change it from one call to the other */
export function statementFor<Part>(
  selection: Selection,
  form: Form<Part>,
  compose: (part: Part) => Sql,
): Statement {
  const key = `${numberOf(selection).number} ${form.key}`;
  let template = templates.get(key);
  if (!template) {
    template = form.template(compose);
    templates.set(key, template);
  }
  return template.of(form.values);
}
