import { describe, expect, test } from '@jest/globals';
import { allows, everything, readScopes, type Scope, scopes } from '../../src/auth/scopes.ts';

const allowed = (...given: string[]): readonly Scope[] =>
  scopes.filter((scope) => allows(readScopes(given), scope));

describe('scopes', () => {
  test('* is everything', () => {
    expect(allowed('*')).toEqual(scopes);
    expect(readScopes(['deals:read', '*'])).toBe(everything);
  });

  test('read is all reading, and nothing else', () => {
    expect(allowed('read')).toEqual(
      scopes.filter((scope) => scope === 'read' || scope.endsWith(':read')),
    );
  });

  test('writing a resource includes reading it, and no other', () => {
    expect(allowed('deals:write')).toEqual(['deals:read', 'deals:write']);
    expect(allowed('deals:read', 'contacts:read')).toEqual(['contacts:read', 'deals:read']);
  });

  test('that only a newer version knows allow nothing', () => {
    expect(allowed('invoices:write', 'deals')).toEqual([]);
    expect(readScopes(['invoices:write', 'deals:read']).given).toEqual(['deals:read']);
  });
});
