import type { ShapeName, Shapes } from '../db/sql/shape.ts';
import { associationOf } from './associations.ts';
import { findAttribute } from './attributes.ts';
import { limits, type Sort } from './search.ts';
import { attributeMeant } from './suggest.ts';
import { isBlank, listOf, tooLong, tooMany, Unreadable } from './values.ts';

/**
 * Reads `"created_at desc"`, or a list of those.
 * @param sent not blank
 * @returns the sorts in their order, or what is wrong with one
 */
export function readSorts(
  sent: unknown,
  shapeName: ShapeName,
  shapes: Shapes,
): readonly (Sort | Unreadable)[] {
  const entries = typeof sent === 'string' ? [sent] : listOf(sent);
  if (!entries) return [new Unreadable('is not a text like "id desc", or a list of such')];
  if (entries.length > limits.values) return [new Unreadable(tooMany('sorts'), 'too_many')];
  const given = entries.filter((entry) => !isBlank(entry));
  if (given.length > limits.sorts)
    return [new Unreadable(`has more than ${limits.sorts} sorts`, 'too_many')];
  return given.map((entry) => readSort(entry, shapeName, shapes));
}

function readSort(sent: unknown, shapeName: ShapeName, shapes: Shapes): Sort | Unreadable {
  if (typeof sent !== 'string') return new Unreadable('holds what is not a text like "id desc"');
  if (sent.length > limits.text) return new Unreadable(`holds a text that ${tooLong}`, 'too_long');
  const [name = '', direction = 'asc', ...more] = sent.split(/[\t\n\v\f\r ]+/).filter(Boolean);
  if (more.length > 0 || !/^(asc|desc)$/i.test(direction)) {
    return new Unreadable(`"${sent}" is not an attribute followed by asc or desc`);
  }
  const attribute = findAttribute(name, shapeName, shapes);
  if (attribute instanceof Unreadable) {
    const [, sign, rest = ''] = /^([+-])(.*)$/.exec(name) ?? [];
    if (sign && !(findAttribute(rest, shapeName, shapes) instanceof Unreadable)) {
      const suggestion = `"${rest} ${sign === '-' ? 'desc' : 'asc'}"`;
      return new Unreadable(
        `"${sent}" is not an attribute followed by asc or desc (did you mean ${suggestion}?)`,
      );
    }
    const meant = attributeMeant(name, shapeName, shapes);
    return new Unreadable(`"${name}" ${attribute.message}${meant}`, attribute.code);
  }
  if (attribute.kind === 'labels' || attribute.key !== undefined) {
    return new Unreadable(`"${name}" is not a sortable attribute`, 'unknown_attribute');
  }
  let shape = shapes[shapeName];
  for (const step of attribute.path) {
    const association = associationOf(shape, step);
    if (association.many) {
      return new Unreadable(`"${name}" lies behind several ${step}, which give no order`);
    }
    shape = shapes[association.to];
  }
  return { attribute, descending: direction.toLowerCase() === 'desc' };
}
