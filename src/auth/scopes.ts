/** What a token may do of what its user may: everything, all reading, or some resources. */

/** The resources that scopes name. Some stand for several kinds of records, and some are still to come. */
export const resources = [
  'contacts',
  'deals',
  'products',
  'events',
  'pipelines',
  'users',
  'tokens',
  'webhooks',
  'audit',
  'account',
] as const;

export type Resource = (typeof resources)[number];

/** What one action needs: a resource's scope, or `*` where only an unlimited token will do. */
export type RequiredScope = `${Resource}:${'read' | 'write'}` | '*';

/** As tokens are given them. */
export type Scope = RequiredScope | 'read';

/** Every scope that a token can be given. */
export const scopes: readonly Scope[] = [
  '*',
  'read',
  ...resources.flatMap((resource) => [`${resource}:read`, `${resource}:write`] as const),
];

/** The scopes of one token. */
export interface Scopes {
  /** As it was given them. */
  readonly given: readonly Scope[];
  /** These and all that they include. */
  readonly included: ReadonlySet<Scope>;
}

/**
 * The scopes of tokens that may do whatever their user may, of people who are signed in, and of
 * operators.
 */
export const everything: Scopes = { given: ['*'], included: new Set(scopes) };

export const isScope = (value: unknown): value is Scope => scopes.some((scope) => scope === value);

/**
 * Reads scopes, each once; `*` stands for all of them. What only a newer version knows allows nothing here.
 */
export function readScopes(stored: readonly string[]): Scopes {
  if (stored.includes('*')) return everything;
  const given = [...new Set(stored.filter(isScope))];
  return { given, included: new Set(given.flatMap(includedIn)) };
}

function includedIn(scope: Scope): readonly Scope[] {
  if (scope === 'read') return scopes.filter((each) => each === 'read' || each.endsWith(':read'));
  const [resource] = scope.split(':');
  return scope.endsWith(':write')
    ? scopes.filter((each) => each.startsWith(`${resource}:`))
    : [scope];
}

/** Whether a token with these scopes may do what needs one. */
export const allows = (held: Scopes, needed: Scope): boolean =>
  held === everything || held.included.has(needed);
