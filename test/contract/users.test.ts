import { describe, expect, test } from '@jest/globals';
import type { User } from '../kit/records.ts';
import {
  forbidden,
  invalid,
  invalidFields,
  malformedJson,
  notFound,
  unauthorized,
} from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { onePage, userBody } from '../kit/shapes.ts';
import { unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const password = 'correct horse';
const required = () => ({ email: unique('new'), password, password_confirmation: password });

describe('POST /users/search', () => {
  test('200 with the page of users that match', async () => {
    const answer = await w.rest.post('/users/search', { query: { full_name_cont: 'ada' } });
    expect(answer).toAnswer(
      200,
      onePage([
        userBody(w.accountId, { id: w.admin.id, email: w.admin.email, full_name: 'Ada Admin' }),
      ]),
    );
  });

  test('200 with an empty page when none matches', async () => {
    const answer = await w.rest.post('/users/search', { query: { full_name_cont: 'nobody' } });
    expect(answer).toAnswer(200, onePage([]));
  });

  test('200 for a member', async () => {
    const answer = await w
      .restAs(w.member.token)
      .post('/users/search', { query: { id_eq: w.member.id } });
    expect(answer).toAnswer(
      200,
      onePage([
        userBody(w.accountId, { id: w.member.id, email: w.member.email, full_name: 'Max Member' }),
      ]),
    );
  });

  test('401 without a token', async () => {
    expect(await w.restAs(undefined).post('/users/search', {})).toAnswer(401, unauthorized);
  });

  test('404 in an account that is not the caller’s', async () => {
    const stranger = await world(service);
    expect(await stranger.restAs(w.admin.token).post('/users/search', {})).toAnswer(404, notFound);
  });
});

describe('POST /users', () => {
  test('201 with the whole user, without the password', async () => {
    const optional = {
      full_name: 'Uli User',
      phone: '+14155550123',
      language: 'pt-BR',
      avatar_url: 'https://example.com/a.png',
      job_description: 'sales_manager',
    };
    const sent = { ...required(), ...optional, webpush_notify_on_event_expired: true };
    const answer = await w.rest.post('/users', sent);
    expect(answer).toAnswer(
      201,
      userBody(w.accountId, {
        ...optional,
        email: sent.email,
        notifications: { webpush_notify_on_event_expired: true },
      }),
    );
    expect(answer.text).not.toContain(password);
  });

  test('201 with the required fields alone: the others have their defaults', async () => {
    const sent = required();
    expect(await w.rest.post('/users', sent)).toAnswer(
      201,
      userBody(w.accountId, { email: sent.email }),
    );
  });

  test('201 with null for every field that is not required: each has its default', async () => {
    const sent = required();
    const cleared = {
      full_name: null,
      phone: null,
      language: null,
      avatar_url: null,
      job_description: null,
      webpush_notify_on_event_expired: null,
    };
    const answer = await w.rest.post('/users', { ...sent, ...cleared });
    expect(answer).toAnswer(201, userBody(w.accountId, { email: sent.email }));
  });

  test('the new user is a member, can be found, and may hold a token', async () => {
    const user = await w.user({ full_name: 'Fresh Face' });
    expect(await w.rest.post('/users/search', { query: { full_name_eq: 'Fresh Face' } })).toAnswer(
      200,
      onePage([user]),
    );
    const [stored] = await service.database.query<{ role: string }>(
      'SELECT role FROM users WHERE id = $1',
      [user.id],
    );
    expect(stored?.role).toBe('member');
  });

  test('the email is trimmed and lower-cased', async () => {
    const email = unique('Mixed.Case');
    expect((await w.user({ email: `  ${email.toUpperCase()} ` })).email).toBe(email.toLowerCase());
  });

  test('the password is kept only as a salted hash that costs what is configured', async () => {
    const [one, two] = [await w.user(), await w.user()];
    const rows = await service.database.query<{ row: string; password_hash: string }>(
      'SELECT users::text AS row, password_hash FROM users WHERE id IN ($1, $2)',
      [one.id, two.id],
    );
    expect(rows).toHaveLength(2);
    for (const { row, password_hash } of rows) {
      expect(row).not.toContain(password);
      expect(password_hash).toMatch(/^scrypt\$1024\$/);
    }
    expect(new Set(rows.map((row) => row.password_hash)).size).toBe(2);
  });

  test.each([6, 128])('201 for a password of %d characters', async (length) => {
    const long = 'ü'.repeat(length);
    await w.user({ password: long, password_confirmation: long });
  });

  test.each(['en', 'pt-BR', 'es', 'de'])('201 for the language %s', async (language) => {
    expect((await w.user({ language })).language).toBe(language);
  });

  test.each(['', '  ', 'http://example.com', 'https://example.com/a.png?x=1#y'])(
    '201 for the avatar_url "%s"',
    async (url) => {
      expect((await w.user({ avatar_url: url })).avatar_url).toBe(url.trim());
    },
  );

  test('201 for a job_description of our own of 100 characters', async () => {
    const job = 'x'.repeat(100);
    expect((await w.user({ job_description: job })).job_description).toBe(job);
  });

  test('a blank phone is null', async () => {
    expect((await w.user({ phone: '' })).phone).toBeNull();
  });

  test('read-only fields are ignored', async () => {
    const user = await w.user({
      id: 1,
      account_id: 1,
      theme_preference: 'dark',
      notifications: { webpush_notify_on_event_expired: true },
    });
    expect(user).toEqual(userBody(w.accountId, { email: user.email }));
  });

  test.each([
    [{}, 'member'],
    [{ role: null }, 'member'],
    [{ role: 'member' }, 'member'],
    [{ role: 'admin' }, 'admin'],
  ])('%j makes the new user a %s, which GraphQL shows', async (fields, role) => {
    const { id } = await w.user(fields);
    const { user } = await w.graphql.data<{ user: unknown }>(
      `{ user(account_id: ${w.accountId}, id: ${id}) { role } }`,
    );
    expect(user).toEqual({ role });
    const input = `{ email: "${unique('user')}", password: "123456", password_confirmation: "123456", role: "${role}" }`;
    const { create_user } = await w.graphql.data<{ create_user: unknown }>(
      `mutation { create_user(account_id: ${w.accountId}, input: ${input}) { role } }`,
    );
    expect(create_user).toEqual({ role });
  });

  test('a role that there is not is a 422', async () => {
    expect(await w.rest.post('/users', { ...required(), role: 'owner' })).toAnswer(
      422,
      invalidFields('role'),
    );
  });

  test('401 without a token', async () => {
    expect(await w.restAs(undefined).post('/users', required())).toAnswer(401, unauthorized);
  });

  test('403 for a member, whatever the body; nobody is created', async () => {
    const before = await w.count('users');
    const member = w.restAs(w.member.token);
    expect(await member.post('/users', required())).toAnswer(403, forbidden);
    expect(await member.post('/users', '{')).toAnswer(403, forbidden);
    expect(await member.post('/users', { email: 'nope' })).toAnswer(403, forbidden);
    expect(await w.count('users')).toBe(before);
  });

  test('404 in an account that is not the caller’s, before 403', async () => {
    const stranger = await world(service);
    expect(await stranger.restAs(w.admin.token).post('/users', required())).toAnswer(404, notFound);
    expect(await stranger.restAs(w.member.token).post('/users', required())).toAnswer(
      404,
      notFound,
    );
  });

  test('422 when email, password and password_confirmation are missing, null or blank', async () => {
    const blank = invalid({
      email: "can't be blank",
      password: "can't be blank",
      password_confirmation: "can't be blank",
    });
    expect(await w.rest.post('/users', {})).toAnswer(422, blank);
    const nulls = { email: null, password: null, password_confirmation: null };
    expect(await w.rest.post('/users', nulls)).toAnswer(422, blank);
  });

  test('422 for an email in use, in this account or another, in any case', async () => {
    const other = await world(service);
    const ours = { user_id: w.member.id };
    const cases = [
      [w.member.email, ours],
      [` ${w.member.email.toUpperCase()} `, ours],
      [other.member.email, undefined],
    ] as const;
    for (const [email, conflict] of cases) {
      expect(await w.rest.post('/users', { ...required(), email })).toAnswer(
        422,
        invalid({ email: 'has already been taken' }, conflict),
      );
    }
  });

  test('422 for an invalid email', async () => {
    expect(await w.rest.post('/users', { ...required(), email: 'nope' })).toAnswer(
      422,
      invalid({ email: 'is invalid' }),
    );
  });

  test('422 when the confirmation is not the password', async () => {
    expect(
      await w.rest.post('/users', { ...required(), password_confirmation: 'another' }),
    ).toAnswer(422, invalid({ password_confirmation: "doesn't match Password" }));
  });

  test('422 for a password of 5, 129 or 70,000 characters, told once', async () => {
    const short = { password: 'abcde', password_confirmation: 'abcde' };
    expect(await w.rest.post('/users', { ...required(), ...short })).toAnswer(
      422,
      invalid({ password: 'is too short (minimum is 6 characters)' }),
    );
    for (const length of [129, 70_000]) {
      const password = 'x'.repeat(length);
      const long = { ...required(), password, password_confirmation: password };
      expect(await w.rest.post('/users', long)).toAnswer(
        422,
        invalid({ password: 'is too long (maximum is 128 characters)' }),
      );
    }
  });

  test('422 for a password that cannot be stored, told of the password alone', async () => {
    const sent = { ...required(), password: 'abcdef\0', password_confirmation: 'abcdef\0' };
    expect(await w.rest.post('/users', sent)).toAnswer(
      422,
      invalid({ password: 'has characters that cannot be stored' }),
    );
  });

  test.each([
    ['language', 'fr'],
    ['language', 'EN'],
    ['language', ''],
    ['avatar_url', 'ftp://example.com/a'],
    ['avatar_url', 'javascript:alert(1)'],
    ['avatar_url', 'a.png'],
    ['job_description', ''],
    ['job_description', '  '],
    ['job_description', 'x'.repeat(101)],
    ['webpush_notify_on_event_expired', 'maybe'],
    ['webpush_notify_on_event_expired', 2],
    ['full_name', 'x'.repeat(256)],
    ['phone', 1.2],
  ])('422 for %s %j', async (field, value) => {
    const before = await w.count('users');
    const answer = await w.rest.post('/users', { ...required(), [field]: value });
    expect(answer).toAnswer(422, invalidFields(field));
    expect(await w.count('users')).toBe(before);
  });

  test('422 tells of a taken email beside every other fault', async () => {
    const wrong = {
      email: w.admin.email,
      password: 'abc',
      password_confirmation: 'abd',
      full_name: 1.5,
      phone: [],
      language: 'xx',
      avatar_url: 'x',
      job_description: [],
      webpush_notify_on_event_expired: 'x',
    };
    const answer = await w.rest.post<{ fields: Record<string, string[]> }>('/users', wrong);
    const conflict = { user_id: w.admin.id };
    expect(answer).toAnswer(422, { ...invalidFields(...Object.keys(wrong)), conflict });
    expect(answer.body.fields.email).toEqual(['has already been taken']);
  });

  test('400 for malformed JSON', async () => {
    expect(await w.rest.post('/users', '{"email"')).toAnswer(400, malformedJson);
  });
});

test('no answer of the service shows a password or its hash', async () => {
  const user = await w.user();
  const found = await w.rest.post<{ data: User[] }>('/users/search', { query: { id_eq: user.id } });
  expect(Object.keys(found.body.data[0] ?? {}).filter((key) => key.includes('password'))).toEqual(
    [],
  );
  expect(found.text).not.toContain('scrypt');
});
