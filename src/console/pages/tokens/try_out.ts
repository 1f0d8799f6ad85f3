/** A command with which a token can be tried at once. */
/** What can be searched over REST, what an integration most likely came for first. */
const searches = ['deals', 'contacts', 'products', 'events', 'pipelines', 'users'];

/** Certificates that a service makes for itself are good for its own machine alone. */
const ownMachine = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * A curl command that reads a page of something that the token may read.
 * @param place where the service is
 * @returns undefined when there is nothing to read
 */
export function tryOut(
  { origin, hostname }: { readonly origin: string; readonly hostname: string },
  accountId: number,
  token: string,
  scopes: readonly string[],
): string | undefined {
  const readsAll = scopes.includes('*') || scopes.includes('read');
  const resource = searches.find(
    (name) => readsAll || scopes.some((scope) => scope.startsWith(`${name}:`)),
  );
  if (!resource) return undefined;
  const insecure = ownMachine.has(hostname) ? '-k ' : '';
  return `curl ${insecure}-X POST ${origin}/api/v1/accounts/${accountId}/${resource}/search \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '{"query": {}}'`;
}
