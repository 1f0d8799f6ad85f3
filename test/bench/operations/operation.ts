/** An operation that is measured: what is asked for, and how the reference does the same by hand. */
import type { Viewer } from '../../../src/auth/viewer.ts';
import type { Database } from '../../../src/db/database.ts';
import { sessionCookie } from '../../../src/http/headers/session_cookie.ts';

/** Nearly all requests are of one account of the fifty. */
export const account = 7;

export const base = `/api/v1/accounts/${account}`;

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  /** With which the request can be sent again. */
  readonly key?: string;
  /** What the browser of a person who signed in holds; else the request comes with a token. */
  readonly session?: string;
}

/** Headers of a request, which are those of the console where it is one of a session. */
export const headersOf = (
  { body, key, session }: Request,
  token: string,
): Readonly<Record<string, string>> => ({
  ...(session === undefined
    ? { authorization: `Bearer ${token}` }
    : { cookie: sessionCookie(session).replace(/;.*/, ''), 'sec-fetch-site': 'same-origin' }),
  ...(body !== undefined && { 'content-type': 'application/json' }),
  ...(key !== undefined && { 'idempotency-key': key }),
});

export interface Operation {
  readonly name: string;
  readonly kind: 'read' | 'write';
  readonly status: 200 | 201;
  /** At once; as many as of the others when not given. */
  readonly connections?: number;
  /** Whose account and first user it is of, which have one number; {@link account} when not given. */
  readonly account?: number;
  /** Adds what the operation needs and is not there yet. */
  readonly prepare?: (db: Database) => Promise<void>;
  /** The nth request; no two write the same e-mail address, whichever server is asked. */
  readonly request: (n: number) => Request;
  /** Takes away what a request created, known by its id. */
  readonly removal?: (id: number) => Request;
  readonly byHand: ByHand;
  /** What of an answer's body both sides must have alike, where that is not all. */
  readonly comparable?: (text: string) => unknown;
}

/** The same work as the one statement of a service that has no rules. */
export interface ByHand {
  /** The path of an operation of REST, as Fastify writes it; one of GraphQL is known by its document. */
  readonly path?: string;
  /**
   * Its first column is the answer's body. `$1` is the account, of a write `$2` and `$3` are the user
   * and the token; {@link values} follow.
   */
  readonly sql: string;
  /** Whether it is planned for its values each time, and not kept prepared. */
  readonly replanned?: true;
  readonly values?: (asked: Asked) => readonly unknown[];
}

interface Asked {
  readonly viewer: Viewer;
  /** In the path. */
  readonly id: string;
  /** A request's body, or the variables of GraphQL. */
  readonly body: Body;
}

/** Columns of the tables here are json that is written as sent, so a body is passed on as text. */
export interface Body {
  readonly query?: {
    readonly full_name_cont?: string;
    readonly status_eq?: string;
    readonly stage_id_eq?: number;
  };
  readonly full_name?: string;
  readonly email?: string;
  readonly label_list?: readonly string[];
  readonly custom_attributes?: object;
  readonly name?: string;
  readonly product_id?: number;
  readonly deal_id?: number;
  readonly pipeline_id?: number;
  readonly quantity?: number;
  readonly records?: readonly object[];
}

/** Where a request of GraphQL goes. */
export const graphql = (
  query: string,
  variables: Readonly<Record<string, unknown>>,
  session?: string,
): Request => ({
  method: 'POST',
  path: '/graphql',
  body: JSON.stringify({ query, variables }),
  ...(session !== undefined && { session }),
});
