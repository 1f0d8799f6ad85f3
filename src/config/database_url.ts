/** What a connection is wanted for: to write, or to read from a standby. */
export type Access = 'read-write' | 'read-only';

/** A database, as a URL names it. */
export interface DatabaseUrl {
  /** One URL for each server that it lists, in its order; each is one that `pg` can read. */
  readonly servers: readonly string[];
  /** Which of the servers to use: `target_session_attrs`, where the URL says. */
  readonly access: Access | undefined;
}

/** libpq's names for the two; `any` and the others would let a connection be of either kind. */
const accesses: ReadonlyMap<string, Access> = new Map([
  ['read-write', 'read-write'],
  ['primary', 'read-write'],
  ['read-only', 'read-only'],
  ['standby', 'read-only'],
]);

/** User and password, whose `@` need not be escaped; the servers; path and parameters. */
const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/**
 * Reads a URL that may list several servers, as libpq has it:
 * `postgresql://user:password@h1:5432,h2:5432/name?target_session_attrs=read-write`.
 * @returns undefined for anything but such a URL
 */
export function parseDatabaseUrl(text: string): DatabaseUrl | undefined {
  const [, before = '', servers = '', after = ''] = parts.exec(text) ?? [];
  const each = servers.split(',').map((server) => before + server + after);
  if (before === '' || !each.every((url) => URL.canParse(url))) return undefined;
  if (each.length > 1 && servers.split(',').includes('')) return undefined;
  const { searchParams } = new URL(each[0] ?? '');
  const attribute = searchParams.get('target_session_attrs');
  const access = accesses.get(attribute ?? '');
  // What `pg` would take for the name of a single server.
  if (searchParams.get('host')?.includes(',')) return undefined;
  return attribute !== null && !access ? undefined : { servers: each, access };
}

/** The same URL without the password, which it may carry in two places. */
export function withoutPassword(text: string): string {
  const [, before = '', servers = '', after = ''] = parts.exec(text) ?? [];
  const url = new URL(`${before}host${after}`);
  if (url.password !== '') url.password = 'hidden';
  if (url.searchParams.has('password')) url.searchParams.set('password', 'hidden');
  const [, shownBefore, , shownAfter] = parts.exec(url.href) ?? [];
  return `${shownBefore}${servers}${shownAfter}`;
}
