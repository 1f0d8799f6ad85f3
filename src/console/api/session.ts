/** Who is signed in. The cookie itself is out of any script's reach. */
import { signal } from '@preact/signals';
import { type FieldMessages, Refusal } from './refusal.ts';
import { send } from './send.ts';

export interface Session {
  readonly account_id: number;
  readonly user_id: number;
  /** When it ends at the latest, ISO 8601. */
  readonly expires_at: string;
}

/** What a person shows to be let in. */
export type Credentials =
  | { readonly email: string; readonly password: string }
  | { readonly code: string; readonly password: string; readonly password_confirmation: string };

interface ErrorBody {
  readonly errors: readonly string[];
  readonly fields?: FieldMessages;
}

/** Undefined until the service was asked, null when nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);

/** Whether the session ended while somebody was at work; what they typed is still on the page. */
export const isInterrupted = signal(false);

/** Remembers that there may be a cookie; without one the service need not be asked. */
const trace = 'crm.signed-in';

const codes: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  422: 'VALIDATION_FAILED',
  429: 'TOO_MANY_REQUESTS',
  503: 'UNAVAILABLE',
};

/** Finds out who is signed in. */
export async function readSession(): Promise<void> {
  if (localStorage.getItem(trace) === null) {
    session.value = null;
    return;
  }
  const { status, body } = await send<Session>('GET', '/session');
  if (status === 200) session.value = body;
  else forget();
}

/** @throws {Refusal} when the service does not let these in */
export async function signIn(credentials: Credentials): Promise<void> {
  const { status, body } = await send<Session | ErrorBody>(
    'POST',
    '/session',
    JSON.stringify(credentials),
  );
  if ('errors' in body) {
    throw new Refusal(codes[status] ?? 'INTERNAL_SERVER_ERROR', body.errors, body.fields);
  }
  const isOther = isInterrupted.value && session.value?.user_id !== body.user_id;
  localStorage.setItem(trace, String(body.user_id));
  session.value = body;
  isInterrupted.value = false;
  // What is on the page is not theirs.
  if (isOther) location.reload();
}

/** Ends the session, and drops the page with all that it has shown. */
export async function signOut(): Promise<void> {
  await send('DELETE', '/session');
  forget();
  location.replace('/console/sign-in');
}

/** Another tab signed out, or somebody else in. */
addEventListener('storage', ({ key, newValue }) => {
  if (key === trace && newValue !== String(session.value?.user_id)) location.reload();
});

function forget(): void {
  localStorage.removeItem(trace);
  session.value = null;
}
