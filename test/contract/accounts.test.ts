/** The account itself, and who a token speaks for. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { invalid } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { type World, world } from '../kit/world.ts';

const service = await sharedService();
let w: World;
beforeEach(async () => {
  w = await world(service);
});

interface Account {
  readonly id: number;
  readonly updated_at: string;
}

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('the account', () => {
  test('is shown to members, with nothing set at first', async () => {
    const answer = await w.restAs(w.member.token).get('');
    expect(answer).toAnswer(200, {
      id: w.accountId,
      name: 'Account',
      default_country: null,
      time_zone: null,
      currency: null,
      created_at: moment,
      updated_at: moment,
    });
  });

  test('is changed by admins, and the trail tells what differs', async () => {
    const before = await w.rest.get<Account>('');
    const changed = await w.rest.put<Account>('', {
      name: ' Acme ',
      default_country: 'br',
      time_zone: 'america/sao_paulo',
      currency: 'brl',
    });
    expect(changed).toAnswer(200, {
      ...before.body,
      name: 'Acme',
      default_country: 'BR',
      time_zone: 'America/Sao_Paulo',
      currency: 'BRL',
      updated_at: moment,
    });
    expect(changed.body.updated_at > before.body.updated_at).toBe(true);
    expect(await w.rest.get('')).toAnswer(200, changed.body);
    expect(await w.rest.put('', { name: 'Acme', time_zone: null })).toAnswer(200, {
      ...changed.body,
      time_zone: null,
      updated_at: moment,
    });
    const { audit_entries } = await w.graphql.data<{ audit_entries: unknown }>(
      `{ audit_entries(account_id: ${w.accountId}) {
        data { action record_type record_id before after } } }`,
    );
    const entry = { action: 'account.update', record_type: 'account', record_id: w.accountId };
    expect(audit_entries).toEqual({
      data: [
        { ...entry, before: { time_zone: 'America/Sao_Paulo' }, after: { time_zone: null } },
        {
          ...entry,
          before: { name: 'Account', default_country: null, time_zone: null, currency: null },
          after: {
            name: 'Acme',
            default_country: 'BR',
            time_zone: 'America/Sao_Paulo',
            currency: 'BRL',
          },
        },
      ],
    });
  });

  test('reads phones in its new country from the next request on', async () => {
    const own = await world(service);
    expect((await own.contact({ phone: '(11) 98765-4321' })).phone).toBe('(11) 98765-4321');
    await own.rest.put('', { default_country: 'BR' });
    expect((await own.contact({ phone: '(11) 98765-4321' })).phone).toBe('+5511987654321');
  });

  test('is left alone where nothing differs', async () => {
    const before = await w.rest.get('');
    const blank = { default_country: '', time_zone: ' ', currency: '' };
    expect(await w.rest.send('PATCH', '', { ...blank, id: 1 })).toAnswer(200, before.body);
    expect(await w.count('audit_entries')).toBe(0);
  });

  test('refuses what cannot be, all of it at once', async () => {
    const body = { name: ' ', default_country: 'XX', time_zone: 'Mars/Base', currency: 'R$' };
    expect(await w.rest.put('', body)).toAnswer(
      422,
      invalid({
        name: ["can't be blank"],
        default_country: ['must be a country by ISO 3166-1, such as BR'],
        time_zone: ['must be an IANA time zone, such as America/Sao_Paulo'],
        currency: ['must be a currency by ISO 4217, such as BRL'],
      }),
    );
  });

  test.each([
    'CET',
    'EST5EDT',
    '+03:00',
    'America',
    'America/',
    'America/Nowhere',
    'Etc/../UTC',
    'UTC-3',
    'Brazil',
    'GMT+3',
  ])('the time zone %s is refused', async (time_zone) => {
    const fields = { time_zone: ['must be an IANA time zone, such as America/Sao_Paulo'] };
    expect(await w.rest.put('', { time_zone })).toAnswer(422, invalid(fields));
  });

  test('takes every time zone that a browser may tell', async () => {
    const zones = [
      'UTC',
      ...Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/')),
    ];
    const known = await service.database.query<{ zone: string }>(
      `SELECT zone FROM unnest($1::text[]) AS zone WHERE now() AT TIME ZONE zone IS NOT NULL`,
      [zones],
    );
    expect(known).toHaveLength(zones.length);
    for (const time_zone of zones.filter((_, at) => at % 60 === 0)) {
      expect((await w.rest.put('', { time_zone })).body).toMatchObject({ time_zone });
    }
  });
});

describe('me', () => {
  test('is the user whose token it is', async () => {
    const shown = await w.rest.get(`/users/${w.member.id}`);
    expect(await w.restAs(w.member.token).get('/me')).toAnswer(200, {
      user: shown.body,
      role: 'member',
      scopes: ['*'],
    });
    const mine = await w.rest.get<{ role: string }>('/me');
    expect(mine.body).toMatchObject({ role: 'admin', user: { id: w.admin.id } });
  });

  test('tells any token what it may, and over GraphQL the token itself', async () => {
    const given = ['contacts:read', 'tokens:read'];
    const token = await issue(service.database, w.member, { scopes: given });
    expect((await w.restAs(token).get('/me')).body).toMatchObject({ scopes: given });
    const form = `{ me(account_id: ${w.accountId}) { role scopes token { name scopes user_id } } }`;
    expect(await w.graphqlAs(token).data(form)).toEqual({
      me: {
        role: 'member',
        scopes: given,
        token: { name: 'test', scopes: given, user_id: w.member.id },
      },
    });
  });
});
