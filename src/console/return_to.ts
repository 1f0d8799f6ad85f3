/** The address of a page of the console, to come back to. */
export const returnTo = (path: string, search: string): string =>
  search === '' ? path : `${path}?${search}`;

/**
 * Where to go after signing in. Anybody can have written the address of the sign-in page, so it leads
 * to pages of the console alone.
 * @param search of the sign-in page
 */
export function nextOf(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '';
  if (!/^\/(?![/\\])[^\\]*$/.test(next)) return '/';
  // Steps up, however they are written, are taken as the browser takes them.
  const { pathname } = new URL(`/console${next}`, 'https://console.invalid');
  return pathname.startsWith('/console/') ? next : '/';
}
