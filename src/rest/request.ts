/** What a request of the REST interface comes to. */
import type { FastifyRequest } from 'fastify';
import type { UnknownInput } from '../errors/errors.ts';
import type { Run, Variables } from '../graphql/operation.ts';

/** Parameters of a path, named like the arguments of its root field. */
export type Params = Readonly<Record<string, string>> & { readonly account_id: string };

/** What a request calls its route with. */
export interface RouteCall {
  readonly args: Variables;
  /** The part of the operation that the answer shows; undefined for all of it. */
  readonly part?: Run;
  /** What does not belong to the call, and is refused. */
  readonly misplaced: readonly UnknownInput[];
  /** The same of the records of a batch, by their place in it. */
  readonly misplacedIn?: ReadonlyMap<number, readonly UnknownInput[]>;
  /** Names of what does not belong to the call, and is ignored. */
  readonly ignored: readonly string[];
}

export type Request = FastifyRequest<{ Params: Params }>;

/** What is read of a request to find out what it calls its route with. */
export type Readable = Pick<Request, 'method' | 'url' | 'headers' | 'params' | 'body'>;
