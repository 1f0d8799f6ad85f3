import { isScope, readScopes, type Scope, scopes } from '../../auth/scopes.ts';
import { durationHint, durationSeconds } from '../../config/duration.ts';
import { blank, notInList } from '../../errors/codes.ts';
import { nameField, orDefault, reference } from '../kernel/fields/fields.ts';
import type { Field } from '../kernel/fields/input.ts';
import { resource, unstored } from '../kernel/resource.ts';

/** Each once, in the order given. */
const scopesField: Field<readonly Scope[]> = {
  cleared: { value: ['*'] },
  read(value, report) {
    if (!Array.isArray(value)) return void report('must be a list of scopes');
    if (value.length === 0) return void report(blank);
    if (value.every(isScope)) return readScopes(value).given;
    return void report(notInList(scopes));
  },
};

/** Seconds; Infinity: for ever. Null asks for the service's own. */
const lifetime: Field<number | null> = {
  cleared: { value: null },
  emptyIsNull: true,
  read(value, report) {
    if (value === 'never') return Number.POSITIVE_INFINITY;
    const seconds = typeof value === 'string' ? durationSeconds(value) : undefined;
    return seconds ?? void report(`must be ${durationHint}, or never`);
  },
};

export const api_tokens = resource('api_tokens', {
  fields: {
    name: nameField,
    expires_in: unstored(lifetime),
    scopes: scopesField,
    // Null asks for the viewer's own.
    user_id: orDefault(reference),
  },
  versions: 'fields',
  searchable: [
    'id',
    'user_id',
    'name',
    'scopes',
    'created_at',
    'last_used_at',
    'expires_at',
    'revoked_at',
  ],
  takesPart: {},
});
