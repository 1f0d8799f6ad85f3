import { describe, expect, test } from '@jest/globals';
import { parseDatabaseUrl, withoutPassword } from '../../src/config/database_url.ts';

describe('parseDatabaseUrl', () => {
  test('a URL of one server is that server, to the letter', () => {
    const url = 'postgres://crm:a@b,c@db.example:5433/crm?application_name=x';
    expect(parseDatabaseUrl(url)).toEqual({ servers: [url], access: undefined });
  });

  test('one of several is a URL for each, in order, with all that they share', () => {
    expect(parseDatabaseUrl('postgresql://crm:p,w@h1:5432,[::1]:5433,h3/crm?sslmode=x')).toEqual({
      servers: [
        'postgresql://crm:p,w@h1:5432/crm?sslmode=x',
        'postgresql://crm:p,w@[::1]:5433/crm?sslmode=x',
        'postgresql://crm:p,w@h3/crm?sslmode=x',
      ],
      access: undefined,
    });
  });

  test.each([
    ['read-write', 'read-write'],
    ['primary', 'read-write'],
    ['read-only', 'read-only'],
    ['standby', 'read-only'],
  ])('target_session_attrs=%s asks for %s', (attrs, access) => {
    const url = `postgres://h1,h2/crm?target_session_attrs=${attrs}`;
    expect(parseDatabaseUrl(url)?.access).toBe(access);
  });

  test.each([
    ['of another kind', 'mysql://h1,h2/crm'],
    ['without slashes', 'postgres:h1,h2'],
    ['with an invalid port', 'postgres://h1:5432,h2:x/crm'],
    ['with a server missing', 'postgres://h1:5432,/crm'],
    ['whose servers may be of either kind', 'postgres://h1,h2/crm?target_session_attrs=any'],
    ['that lists its servers as a parameter', 'postgres:///crm?host=h1,h2'],
  ])('a URL %s is invalid', (_, url) => {
    expect(parseDatabaseUrl(url)).toBeUndefined();
  });
});

test.each([
  ['postgres://crm:secret@h1:5432,h2:5433/crm', 'postgres://crm:hidden@h1:5432,h2:5433/crm'],
  ['postgres://crm@h1,h2/crm?password=secret', 'postgres://crm@h1,h2/crm?password=hidden'],
  ['postgres://crm:secret@h1/crm', 'postgres://crm:hidden@h1/crm'],
])('%s is shown without its password', (url, shown) => {
  expect(withoutPassword(url)).toBe(shown);
});
