/** Who may do what. One table, asked by every use case before anything else. */
import type { RecordType } from '../db/sql/shape.ts';
import { forbidden, InsufficientScope, notFound } from '../errors/errors.ts';
import { asId } from '../lib/integer.ts';
import { allows, everything, type RequiredScope, type Scope } from './scopes.ts';
import type { Viewer } from './viewer.ts';

/** What an action takes: a role, and of a token a scope; null where any token will do. */
interface Right {
  readonly role: Viewer['role'];
  readonly scope: RequiredScope | null;
}

const member = <S extends RequiredScope | null>(scope: S) => ({ role: 'member', scope }) as const;
const admin = <S extends RequiredScope>(scope: S) => ({ role: 'admin', scope }) as const;

/** Every action: a kind of record and a verb, as the audit trail records it. Admins do what members do. */
const policy = {
  'account.read': member('account:read'),
  'account.update': admin('account:write'),
  'audit_entry.read': admin('audit:read'),
  /** Taking back the changes that entries record. */
  'audit_entry.revert': admin('*'),
  'change.read': admin('audit:read'),
  'contact.read': member('contacts:read'),
  'contact.create': member('contacts:write'),
  'contact.update': member('contacts:write'),
  'contact.delete': member('contacts:write'),
  'contact.restore': member('contacts:write'),
  /** With the right to write deals, which move. */
  'contact.merge': member('contacts:write'),
  'contact.erase': admin('*'),
  'deal.read': member('deals:read'),
  'deal.create': member('deals:write'),
  'deal.update': member('deals:write'),
  'deal.delete': member('deals:write'),
  'deal.restore': member('deals:write'),
  'deal_assignee.read': member('deals:read'),
  'deal_assignee.create': member('deals:write'),
  'deal_assignee.update': member('deals:write'),
  'deal_assignee.delete': member('deals:write'),
  'deal_product.read': member('deals:read'),
  'deal_product.create': member('deals:write'),
  'deal_product.update': member('deals:write'),
  'deal_product.delete': member('deals:write'),
  'deal_product.restore': member('deals:write'),
  'event.read': member('events:read'),
  'event.create': member('events:write'),
  'event.update': member('events:write'),
  'event.delete': member('events:write'),
  'event.restore': member('events:write'),
  'me.read': member(null),
  /** Their password. */
  'me.update': member('*'),
  'pipeline.read': member('pipelines:read'),
  'pipeline.create': admin('pipelines:write'),
  'pipeline.update': admin('pipelines:write'),
  'pipeline.delete': admin('pipelines:write'),
  /** Of each kind that the scopes allow to read. */
  'record.find': member(null),
  'product.read': member('products:read'),
  'product.create': member('products:write'),
  'product.update': member('products:write'),
  'product.delete': member('products:write'),
  'product.restore': member('products:write'),
  /** One's own, and those that others share. */
  'saved_view.read': member(null),
  'saved_view.create': member('*'),
  'saved_view.update': member('*'),
  'saved_view.delete': member('*'),
  'session.read': member('*'),
  'session.create': member('*'),
  'session.delete': member('*'),
  'sign_in_code.read': admin('*'),
  'sign_in_code.create': admin('*'),
  'sign_in_code.delete': admin('*'),
  'stage.read': member('pipelines:read'),
  'stage.create': admin('pipelines:write'),
  'stage.update': admin('pipelines:write'),
  'stage.delete': admin('pipelines:write'),
  'token.read': member('tokens:read'),
  'token.create': member('tokens:write'),
  'token.revoke': member('tokens:write'),
  'user.read': member('users:read'),
  'user.create': admin('*'),
  'user.update': admin('users:write'),
  /** Changing what a user signs in with, or may do: anyone who can do that can get everything. */
  'user.entrust': admin('*'),
  'user.delete': admin('users:write'),
  'webhook.read': admin('webhooks:read'),
  'webhook.create': admin('webhooks:write'),
  'webhook.update': admin('webhooks:write'),
  'webhook.delete': admin('webhooks:write'),
  'webhook.rotate_secret': admin('webhooks:write'),
  'webhook.test': admin('webhooks:write'),
  'webhook.replay': admin('webhooks:write'),
  'webhook_delivery.read': admin('webhooks:read'),
  'webhook_delivery.retry': admin('webhooks:write'),
} as const satisfies Readonly<Record<string, Right>>;

export type Action = keyof typeof policy;

/** Kinds of records that members and admins read and write. */
export type Subject = {
  [One in RecordType]: `${One}.create` | `${One}.update` | `${One}.delete` extends Action
    ? One
    : never;
}[RecordType];

/** Reserved for operators of the service: no viewer may do these. */
export type OperatorAction = 'account.create';

/** Actions that the audit trail records of attempts with a wrong password. */
export type RefusedAction = 'user.refuse_sign_in' | 'user.refuse_password';

/** The action that the audit trail records of an export; what it takes is the right to read the records. */
export type ExportAction = 'account.export';

/** What an action takes. */
export const rightOf = <A extends Action>(action: A): (typeof policy)[A] => policy[action];

/**
 * Lets a viewer into an account to do something.
 * @param viewer who calls
 * @param accountId the account that the call names: anything that a client sent
 * @param action what it is about to do
 * @returns the account's id
 * @throws {Fault} NOT_FOUND when the account does not exist or is not the viewer's, indistinguishably;
 *   FORBIDDEN when the viewer's role does not allow the action, INSUFFICIENT_SCOPE when its token does not
 */
export function authorize(viewer: Viewer, accountId: unknown, action: Action): number {
  if (readId(accountId) !== viewer.accountId) throw notFound();
  const { role, scope }: Right = policy[action];
  if (role === 'admin' && viewer.role !== 'admin') throw forbidden();
  if (viewer.scopes !== everything && scope !== null) requireScopes(viewer, [scope]);
  return viewer.accountId;
}

/** What somebody who merges contacts must be allowed, since their deals move. */
export const mergeActions: readonly Action[] = ['contact.merge', 'deal.update'];

/** Whether a viewer's role and token allow an action in its own account. */
export function isAllowed({ role, scopes }: Viewer, action: Action): boolean {
  const right: Right = policy[action];
  if (right.role === 'admin' && role !== 'admin') return false;
  return right.scope === null || allows(scopes, right.scope);
}

/** @throws {Fault} INSUFFICIENT_SCOPE that names all of these scopes which the viewer's token lacks */
export function requireScopes({ scopes }: Viewer, needed: Iterable<Scope>): void {
  const lacking = [...new Set(needed)].filter((scope) => !allows(scopes, scope));
  if (lacking.length > 0) throw new InsufficientScope(lacking);
}

/** The scope that it takes to read records of these kinds. */
export const readScopesOf = (kinds: Iterable<RecordType>): readonly RequiredScope[] =>
  [...kinds].map((one) => rightOf(`${one}.read`).scope);

/**
 * The id of a record that a call names, as a number or its decimal string.
 * @throws {Fault} NOT_FOUND when it cannot be an id: no record has it
 */
export function readId(value: unknown): number {
  const id = asId(value);
  if (id === undefined) throw notFound();
  return id;
}
