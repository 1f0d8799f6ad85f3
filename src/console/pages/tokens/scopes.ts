/** What a token may do, as it is chosen and shown. */
import { words } from '../../words/words.ts';

/** What there is to choose of, resource by resource. */
export const resources = [
  'contacts',
  'deals',
  'products',
  'events',
  'pipelines',
  'users',
  'tokens',
  'account',
  'audit',
  'webhooks',
] as const;

export type Resource = (typeof resources)[number];

/** How far a token's rights go: everything, all reading, or what is chosen of each resource. */
export type Extent = 'all' | 'read' | 'some';

export type Right = '' | 'read' | 'write';

export type Rights = Readonly<Record<Resource, Right>>;

export const noRights: Rights = {
  contacts: '',
  deals: '',
  products: '',
  events: '',
  pipelines: '',
  users: '',
  tokens: '',
  account: '',
  audit: '',
  webhooks: '',
};

/** As the service takes them. */
export function scopesOf(extent: Extent, rights: Rights): readonly string[] {
  if (extent === 'all') return ['*'];
  if (extent === 'read') return ['read'];
  return resources.flatMap((name) => (rights[name] ? `${name}:${rights[name]}` : []));
}

/** What a token may do, in words. */
export function summaryOf(scopes: readonly string[]): string {
  const { tokens: texts } = words.value;
  if (scopes.includes('*')) return texts.extents.all;
  const names: Readonly<Record<string, string>> = texts.resources;
  const areas = scopes.map((scope) => {
    const [resource = '', right] = scope.split(':');
    if (right === undefined) return scope === 'read' ? texts.extents.read : scope;
    const name = names[resource] ?? resource;
    return right === 'write' ? texts.writes(name) : texts.reads(name);
  });
  const text = areas.join(', ');
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}
