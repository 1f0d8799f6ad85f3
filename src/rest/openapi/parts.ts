/** The document, whole and by tag. */
import { openapi } from './document.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectAt = (value: unknown, name: string): Json => {
  const inner = isObject(value) ? value[name] : undefined;
  return isObject(inner) ? inner : {};
};

/** Every component that a part of a document refers to, as `schemas/Contact`. */
function referencesIn(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) for (const each of value) referencesIn(each, names);
  else if (isObject(value)) {
    const { $ref: reference } = value;
    if (typeof reference === 'string') names.add(reference.replace('#/components/', ''));
    for (const each of Object.values(value)) referencesIn(each, names);
  }
}

const tagsOf = ({ tags }: Json): readonly Json[] =>
  Array.isArray(tags) ? tags.filter(isObject) : [];

/**
 * The operations of one tag, with the components that they need.
 * @returns undefined where no operation has the tag
 */
export function partOf(document: Json, tag: string): Json | undefined {
  const paths: Record<string, Json> = {};
  for (const [path, item] of Object.entries(objectAt(document, 'paths'))) {
    const operations = Object.entries(isObject(item) ? item : {}).filter(([, operation]) => {
      const { tags } = isObject(operation) ? operation : { tags: undefined };
      return Array.isArray(tags) && tags.includes(tag);
    });
    if (operations.length > 0) paths[path] = Object.fromEntries(operations);
  }
  if (Object.keys(paths).length === 0) return undefined;
  const all = objectAt(document, 'components');
  const needed = new Set<string>();
  referencesIn(paths, needed);
  // Components join while those that refer to them are looked through.
  for (const place of needed) {
    const [kind = '', name = ''] = place.split('/');
    referencesIn(objectAt(all, kind)[name], needed);
  }
  const components = Object.fromEntries(
    Object.entries(all).map(([kind, members]) => [
      kind,
      kind === 'securitySchemes'
        ? members
        : Object.fromEntries(
            Object.entries(isObject(members) ? members : {}).filter(([name]) =>
              needed.has(`${kind}/${name}`),
            ),
          ),
    ]),
  );
  return {
    ...document,
    tags: tagsOf(document).filter(({ name }) => name === tag),
    paths,
    components,
  };
}

let document: Json | undefined;

/** The document, made when it is first asked for: that takes a tenth of a second, which no start has to wait for. */
const whole = () => (document ??= openapi());

/** The document and its parts. */
export const documentation = {
  whole,
  tags: () => tagsOf(whole()).map(({ name }) => String(name)),
  part: (tag: string) => partOf(whole(), tag),
};
