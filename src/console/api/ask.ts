/** The one way to the account's data: operations of `schema.graphql`, written in `.graphql` files. */
import type { TypedDocumentString } from '../../generated/console.ts';
import { keyFor, noteOutcome } from './keys.ts';
import { asRefusal, type FieldMessages, type Holder, Refusal } from './refusal.ts';
import { send } from './send.ts';
import { isInterrupted, session } from './session.ts';

/** What an operation is asked with, besides the account, which is that of the session. */
export type VariablesOf<Variables> = Omit<Variables, 'account_id'>;

interface Body<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly {
    readonly extensions?: {
      readonly code?: string;
      readonly errors?: readonly string[];
      readonly fields?: FieldMessages;
      readonly conflict?: Holder;
    };
    readonly message: string;
  }[];
}

/** What an operation returned, and what the service calls the request. */
interface OperationAnswer<Data> {
  readonly data: Data;
  readonly request: string;
}

/**
 * Runs a query or a mutation in the account of the person who is signed in. A mutation of which nothing was
 * heard may be sent again: it is done once.
 * @throws {Refusal} what the service refused, the first error of several
 */
export const ask = async <Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  given: VariablesOf<Variables>,
): Promise<Data> => (await askTraced(document, given)).data;

/** The same, with what a request is called that may be taken back. */
export async function askTraced<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  given: VariablesOf<Variables>,
): Promise<OperationAnswer<Data>> {
  const query = document.toString();
  const variables = { account_id: session.value?.account_id, ...given };
  const sent = JSON.stringify({ query, variables });
  if (!/^\s*mutation\b/.test(query)) return run<Data>(sent);
  const key = keyFor(sent);
  try {
    const answered = await run<Data>(sent, key);
    noteOutcome(sent, key, undefined);
    return answered;
  } catch (error) {
    noteOutcome(sent, key, asRefusal(error).code);
    throw error;
  }
}

async function run<Data>(sent: string, key?: string): Promise<OperationAnswer<Data>> {
  const { status, body, request } = await send<Body<Data>>('POST', '/graphql', sent, key);
  if (status === 401) isInterrupted.value = true;
  const [error] = body.errors ?? [];
  if (error) {
    const { code = 'INTERNAL_SERVER_ERROR', errors, fields, conflict } = error.extensions ?? {};
    throw new Refusal(code, errors ?? [error.message], fields, conflict);
  }
  if (!body.data) throw new Refusal('INTERNAL_SERVER_ERROR');
  return { data: body.data, request };
}
