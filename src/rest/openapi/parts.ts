/** The document, whole and by tag. */
import { isJsonObject, type JsonObject } from '../../json/json.ts';
import { openapi } from './document.ts';

const objectAt = (value: unknown, name: string): JsonObject => {
  const inner = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(inner) ? inner : {};
};

/** Every component that a part of a document refers to, as `schemas/Contact`. */
function referencesIn(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) for (const each of value) referencesIn(each, names);
  else if (isJsonObject(value)) {
    const { $ref: reference } = value;
    if (typeof reference === 'string') names.add(reference.replace('#/components/', ''));
    for (const each of Object.values(value)) referencesIn(each, names);
  }
}

const tagsOf = ({ tags }: JsonObject): readonly JsonObject[] =>
  Array.isArray(tags) ? tags.filter(isJsonObject) : [];

/**
 * The operations of one tag, with the components that they need.
 * @returns undefined where no operation has the tag
 */
export function partOf(document: JsonObject, tag: string): JsonObject | undefined {
  const paths: Record<string, JsonObject> = {};
  for (const [path, item] of Object.entries(objectAt(document, 'paths'))) {
    const operations = Object.entries(isJsonObject(item) ? item : {}).filter(([, operation]) => {
      const { tags } = isJsonObject(operation) ? operation : { tags: undefined };
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
            Object.entries(isJsonObject(members) ? members : {}).filter(([name]) =>
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

let document: JsonObject | undefined;

/** The document, made when it is first asked for: that takes a tenth of a second, which no start has to wait for. */
const whole = () => (document ??= openapi());

/** The document and its parts. */
export const documentation = {
  whole,
  tags: () => tagsOf(whole()).map(({ name }) => String(name)),
  part: (tag: string) => partOf(whole(), tag),
};
