/** What a search of the REST interface may use, for its documentation. */
import { getNamedType } from 'graphql';
import { type ColumnKind, kindOf, type Shape } from '../db/sql/shape.ts';
import { specified } from '../resources/shapes.ts';
import { isFollowed } from '../search/attributes.ts';
import type { Predicate } from '../search/predicate.ts';
import { predicates } from '../search/predicates.ts';
import { schema } from './schema.ts';

/** Attributes of one kind, and the predicates that apply to them. */
export interface Searchable {
  readonly kind: ColumnKind;
  readonly attributes: readonly string[];
  readonly predicates: readonly Predicate[];
}

export interface SearchReference {
  readonly searchables: readonly Searchable[];
  /** Associations whose attributes may be used too, as `<association>_<attribute>`. */
  readonly associations: readonly string[];
  /** The same, and those that may be followed from there. */
  readonly steps: ReadonlySet<string>;
  /** Attributes of the records at the end of any way, and of the first. */
  readonly attributes: ReadonlyMap<string, ColumnKind>;
  /** What `q` looks at; nothing where a search knows no `q`. */
  readonly foundBy: readonly string[];
}

/**
 * What a root field searches.
 * @throws {Error} when nothing of that name can be searched
 */
export function searchedBy(field: string): Shape {
  const type = schema.getQueryType()?.getFields()[field]?.type;
  const page = type && getNamedType(type).name;
  const shape = Object.values(specified).find(({ type }) => `${type}Page` === page);
  if (!shape) throw new Error(`nothing named ${field} can be searched`);
  return shape;
}

/**
 * What a search for records of a shape may use. Paths may lead on from association to association, and
 * `steps` and `attributes` have all that any path can reach.
 */
export function searchReference(shape: Shape): SearchReference {
  const byKind = new Map<ColumnKind, string[]>();
  for (const attribute of shape.searchable) {
    const kind = kindOf(shape, attribute);
    if (kind) byKind.set(kind, [...(byKind.get(kind) ?? []), attribute]);
  }
  return {
    ...reachable(shape),
    searchables: [...byKind].map(([kind, attributes]) => {
      // The keys of free-form objects are searched as texts.
      const searchKind = kind === 'json' ? 'text' : kind;
      return {
        kind,
        attributes,
        predicates: predicates.filter(({ on }) => on.includes(searchKind)),
      };
    }),
    associations: Object.entries(shape.associations)
      .filter(([, way]) => isFollowed(way, true))
      .map(([name]) => name),
    foundBy: foundBy(shape),
  };
}

function foundBy({ foundBy = [], foundWith, associations }: Shape): readonly string[] {
  const other = foundWith === undefined ? undefined : associations[foundWith];
  const [first] = (other && specified[other.to].foundBy) ?? [];
  return first === undefined ? foundBy : [...foundBy, `${foundWith}_${first}`];
}

function reachable(first: Shape): Pick<SearchReference, 'steps' | 'attributes'> {
  const kinds = new Set([first]);
  const steps = new Set<string>();
  const attributes = new Map<string, ColumnKind>();
  for (const shape of kinds) {
    for (const attribute of shape.searchable) {
      const kind = kindOf(shape, attribute);
      if (kind) attributes.set(attribute, kind);
    }
    for (const [name, way] of Object.entries(shape.associations)) {
      if (!isFollowed(way, shape === first)) continue;
      steps.add(name);
      kinds.add(specified[way.to]);
    }
  }
  return { steps, attributes };
}
