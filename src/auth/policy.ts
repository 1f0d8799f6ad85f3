/** Who may do what. One table, asked by every use case before anything else. */
import type { RecordType } from '../db/shape.ts';
import { forbidden, notFound } from '../errors.ts';
import { asId } from '../integer.ts';
import type { Viewer } from './viewer.ts';

/** What members and admins read and write. */
export type Subject = Exclude<RecordType, 'api_token' | 'audit_entry'>;

/** A resource in the singular and a verb, as the audit trail records it. */
export type Action =
  | `${Subject}.${'read' | 'create' | 'update' | 'delete'}`
  | `account.${'read' | 'update'}`
  | 'audit_entry.read';

/** Reserved for admins; everything else is open to every member of the account. */
const adminOnly: ReadonlySet<Action> = new Set<Action>([
  'account.update',
  'user.create',
  'user.update',
  'user.delete',
  'pipeline.create',
  'pipeline.update',
  'pipeline.delete',
  'stage.create',
  'stage.update',
  'stage.delete',
  'audit_entry.read',
]);

/** Reserved for whoever operates the service: no viewer may do these. */
export type OperatorAction = 'account.create' | 'token.create' | 'token.revoke';

export const isAdminOnly = (action: Action): boolean => adminOnly.has(action);

/**
 * Lets a viewer into an account to do something.
 * @param viewer who calls
 * @param accountId the account that the call names: anything that a client sent
 * @param action what it is about to do
 * @returns the account's id
 * @throws {Fault} NOT_FOUND when the account does not exist or is not the viewer's, indistinguishably; FORBIDDEN when the viewer's role does not allow the action
 */
export function authorize(viewer: Viewer, accountId: unknown, action: Action): number {
  if (readId(accountId) !== viewer.accountId) throw notFound();
  if (isAdminOnly(action) && viewer.role !== 'admin') throw forbidden();
  return viewer.accountId;
}

/**
 * The id of a record that a call names, as a number or its decimal string.
 * @throws {Fault} NOT_FOUND when it cannot be an id: no record has it
 */
export function readId(value: unknown): number {
  const id = asId(value);
  if (id === undefined) throw notFound();
  return id;
}
