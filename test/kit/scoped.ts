import type { Scope } from '../../src/auth/scopes.ts';
import type { GraphqlError } from './graphql.ts';
import type { Rest } from './rest.ts';
import { issue } from './tokens.ts';
import type { World } from './world.ts';

/** An admin's tokens of an account by their scopes, and what GraphQL says that they lack. */
export class Scoped {
  readonly #w: World;
  readonly #tokens = new Map<string, Promise<string>>();

  constructor(w: World) {
    this.#w = w;
  }

  token(...scopes: readonly Scope[]): Promise<string> {
    const key = scopes.join(' ');
    const { service, admin } = this.#w;
    const token = this.#tokens.get(key) ?? issue(service.database, admin, { scopes });
    this.#tokens.set(key, token);
    return token;
  }

  async rest(...scopes: readonly Scope[]): Promise<Rest> {
    return this.#w.restAs(await this.token(...scopes));
  }

  /**
   * The scopes that an answer says a token of these scopes lacks; none when there is another outcome.
   * The document gets the account as `$account_id`.
   */
  async lacked(
    scopes: readonly Scope[],
    document: string,
    given: object = {},
  ): Promise<readonly string[]> {
    const variables = { account_id: this.#w.accountId, ...given };
    const { body } = await this.#w.graphqlAs(await this.token(...scopes)).send(document, variables);
    const named = namedIn(body.errors);
    const isAnswered = Object.values(body.data ?? {}).some((value) => value !== null);
    if (named.length > 0 && isAnswered)
      throw new Error(`data came with the refusal of ${document}`);
    return named;
  }
}

function namedIn([error]: readonly GraphqlError[] = []): readonly string[] {
  if (error?.extensions.code !== 'INSUFFICIENT_SCOPE') return [];
  const [told = ''] = error.extensions.errors ?? [];
  return /^The token lacks the scopes? (.+)$/.exec(told)?.[1]?.split(', ') ?? [told];
}
