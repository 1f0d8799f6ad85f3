import {
  type ASTNode,
  getNamedType,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { readScopesOf, rightOf } from '../../auth/policy.ts';
import type { RequiredScope } from '../../auth/scopes.ts';
import { tables } from '../../generated/shapes.ts';
import { schema } from '../schema.ts';
import type { Fragments } from '../selection/fields.ts';
import { sourcesOf } from '../selection/relations.ts';

/** The scopes needed to select a type; types other than records need none. */
const scopesByType: ReadonlyMap<string, readonly RequiredScope[]> = new Map([
  ['Account', [rightOf('account.read').scope]],
  ...Object.values(tables).map(({ type, one }) => [type, readScopesOf([one])] as const),
]);

/**
 * The scopes needed to select what an operation selects: the read scope of every type, however deep, and of what
 * values follow from, because what is shown is the client's choice. Whatever else a root field needs, its use case asks for.
 */
export function scopesOf(
  operation: OperationDefinitionNode,
  fragments: Fragments,
): readonly RequiredScope[] {
  const parts = new Set<ASTNode>([operation]);
  const needed = new Set<RequiredScope>();
  const types = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(types, {
    Field: ({ name }) => {
      const type = types.getType();
      const own = type ? [getNamedType(type).name] : [];
      const sources = sourcesOf(types.getParentType()?.name ?? '', name.value);
      for (const one of [...own, ...sources]) {
        for (const scope of scopesByType.get(one) ?? []) needed.add(scope);
      }
    },
    FragmentSpread: ({ name }) => {
      const spread = fragments.get(name.value);
      if (spread) parts.add(spread);
    },
  });
  // Fragments join while what spreads them is visited.
  for (const part of parts) visit(part, visitor);
  return [...needed];
}
