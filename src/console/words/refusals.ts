/** Refusals of the service, in the language of the person. */
import type { Refusal } from '../api/refusal.ts';
import { fieldName } from './fields.ts';
import { words } from './words.ts';

/** A number or a list that a message ends with, such as `(minimum is 6 characters)`. */
const patterns = [
  [/^can't be blank$/, 'blank'],
  [/^is invalid$/, 'invalid'],
  [/^has already been taken$/, 'taken'],
  [/^must exist$/, 'missing'],
  [/^must exist: (.*)$/s, 'absent'],
  [/^is that of several: (.*)$/s, 'several'],
  [/^The deal was written, but not its product$/, 'onlyDeal'],
  [/^is in the deal more than once$/, 'repeated'],
  [/^must be an integer$/, 'integer'],
  [/^must be an amount such as 1234\.56$/, 'amount'],
  [/^may be thousands or decimals: /, 'ambiguous'],
  [/^was shortened by a spreadsheet: (.*) has lost its last digits$/s, 'shortened'],
  [/^makes the total larger than \d+$/, 'total'],
  [/^is not a day: (.*)$/s, 'noDay'],
  [/^doesn't match Password$/, 'differs'],
  [/^is too short \(minimum is (\d+) characters\)$/, 'short'],
  [/^is too long \(maximum is ([\d,]+) characters\)$/, 'long'],
  [/^must be greater than or equal to (-?\d+)$/, 'atLeast'],
  [/^is not included in the list(?: \((.*)\))?$/, 'unlisted'],
  [/^must be admin: the account has no other$/, 'lastAdmin'],
  [/^is admin, and the account has no other$/, 'lastAdmin'],
  [/^must begin with https:\/\//, 'notSecure'],
  [/^must not lead to an address that is not public$/, 'notPublic'],
  [/^must be moved or deleted first$/, 'inUse'],
] as const;

/** What is wrong with a field. A message without a translation is shown as the service wrote it. */
export function inWords(message: string): string {
  const { faults } = words.value;
  for (const [pattern, name] of patterns) {
    const found = pattern.exec(message);
    if (!found) continue;
    const fault = faults[name];
    return typeof fault === 'string' ? fault : fault(found[1] ?? '');
  }
  return message;
}

/**
 * What is wrong with a row of a file, each part with the name of its field.
 * @param sentences the same as the service wrote it
 */
export function faultsOfRow(
  fields: Readonly<Record<string, unknown>> | undefined,
  sentences: readonly string[],
): readonly string[] {
  const found = Object.entries(fields ?? {}).flatMap(([field, messages]) =>
    (Array.isArray(messages) ? messages : []).map(
      (message) => `${whole.has(field) ? '' : `${fieldName(field)}: `}${inWords(String(message))}`,
    ),
  );
  return found.length > 0 ? found : sentences;
}

/** Fields that stand for the record as a whole: what is wrong with it says so itself. */
const whole = new Set(['base', 'deals', 'role']);

const named = (field: string): string => (whole.has(field) ? '' : `${field}: `);

/**
 * Sentences about a refusal.
 * @param told fields that show their own faults
 */
export function explain(refusal: Refusal, shown: readonly string[] = []): readonly string[] {
  const { refusals } = words.value;
  const fields = Object.entries(refusal.fields);
  if (fields.length > 0) {
    return fields
      .filter(([name]) => !shown.includes(name))
      .flatMap(([name, messages]) =>
        messages.map((message) => `${named(name)}${inWords(message)}`),
      );
  }
  switch (refusal.code) {
    case 'OFFLINE':
      return [refusals.offline];
    case 'UNAUTHENTICATED':
      return [refusals.signedOut];
    case 'FORBIDDEN':
      return [refusals.forbidden];
    case 'NOT_FOUND':
      return [refusals.notFound];
    case 'PRECONDITION_FAILED':
      return [refusals.changed];
    case 'TOO_MANY_REQUESTS':
      return [refusals.tooMany];
    case 'CONFLICT':
    case 'UNAVAILABLE':
      return [refusals.unavailable];
    case 'INTERNAL_SERVER_ERROR':
      return [refusals.broken];
    default:
      return refusal.messages;
  }
}
