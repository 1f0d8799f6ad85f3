/** Parts of the console that need no browser. */
import { describe, expect, test } from '@jest/globals';
import { getCountries } from 'libphonenumber-js/max';
import { countryCodes } from '../../src/console/pages/account/country_codes.ts';
import { timeZoneNames } from '../../src/console/pages/account/time_zone_names.ts';
import { placeAfter } from '../../src/console/pages/pipelines/place.ts';
import { browserOf } from '../../src/console/pages/sessions/browser.ts';
import { tryOut } from '../../src/console/pages/tokens/try_out.ts';
import { exportAddress } from '../../src/console/records/export_address.ts';
import { nextOf } from '../../src/console/return_to.ts';
import { startOfDay } from '../../src/console/words/days.ts';
import { de } from '../../src/console/words/de.ts';
import { en } from '../../src/console/words/en.ts';
import { es } from '../../src/console/words/es.ts';
import { fieldName } from '../../src/console/words/fields.ts';
import { ptBR } from '../../src/console/words/pt-BR.ts';
import { tables } from '../../src/generated/shapes.ts';
import { importable, targetsOf } from '../../src/import/targets.ts';
import { accounts, isAudited, isRecorded } from '../../src/resources/audit/columns.ts';

test.each([
  ['2026-03-01', 'America/Sao_Paulo', '2026-03-01T03:00:00.000Z'],
  ['2026-03-01', 'Asia/Kathmandu', '2026-02-28T18:15:00.000Z'],
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
  ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
  ['2026-03-01', 'UTC', '2026-03-01T00:00:00.000Z'],
  ['', 'UTC', ''],
  ['202-03', 'UTC', ''],
  ['2026-13-01', 'UTC', ''],
  ['120260-03-01', 'UTC', ''],
])('%s begins in %s at %s, also where clocks are changed', (day, zone, moment) => {
  expect(startOfDay(day, zone)).toBe(moment);
});

test('the day after is counted by the calendar, over a change of clocks', () => {
  expect(startOfDay('2026-03-29', 'Europe/Berlin', 1)).toBe('2026-03-29T22:00:00.000Z');
});

test.each([
  ['/users?page=2', '/users?page=2'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/a\\b', '/'],
  ['https://evil.example', '/'],
  ['~/graphiql', '/'],
  ['/../../evil', '/'],
  ['/console/../../evil', '/'],
  ['/a/%2e%2e/.%2E/graphiql', '/'],
  ['/a/../users', '/a/../users'],
  ['', '/'],
])('after signing in, %s leads to %s', (next, where) => {
  expect(nextOf(`next=${encodeURIComponent(next)}`)).toBe(where);
});

describe('a stage among four', () => {
  const stages = [1, 2, 3, 4].map((id) => ({ id }));

  test.each([
    [1, 'up', 0],
    [4, 'up', 2],
    [1, 'down', 1],
    [4, 'down', 3],
    [1, { of: 3, edge: 'before' }, 1],
    [1, { of: 3, edge: 'after' }, 2],
    [4, { of: 1, edge: 'before' }, 0],
    [4, { of: 1, edge: 'after' }, 1],
    [2, { of: 9, edge: 'after' }, undefined],
    [9, 'up', undefined],
  ] as const)('%d goes with %j to index %s', (id, place, index) => {
    expect(placeAfter(stages, id, place)).toBe(index);
  });
});

describe('the command to try a token out', () => {
  const own = { origin: 'https://127.0.0.1:8443', hostname: '127.0.0.1' };
  const public_ = { origin: 'https://crm.example', hostname: 'crm.example' };

  test.each([
    [['*'], 'deals'],
    [['read'], 'deals'],
    [['products:read', 'contacts:write'], 'contacts'],
    [['users:read'], 'users'],
  ])('of %j searches %s', (scopes, resource) => {
    expect(tryOut(own, 7, 'abc', scopes)).toContain(`/api/v1/accounts/7/${resource}/search`);
  });

  test('trusts no certificate but that of the own machine', () => {
    expect(tryOut(own, 7, 'abc', ['*'])).toContain('curl -k ');
    expect(tryOut(public_, 7, 'abc', ['*'])).not.toContain('-k');
  });

  test('is not there for a token that can search nothing', () => {
    expect(tryOut(own, 7, 'abc', ['webhooks:write'])).toBeUndefined();
  });
});

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36 Edg/126.0',
    'Edge, Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
    'Safari, macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile Safari/604.1',
    'Safari, iOS',
  ],
  [
    'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36',
    'Chrome, Android',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox, Linux'],
  ['', ''],
])('%s is told as %s', (userAgent, told) => {
  expect(browserOf(userAgent)).toBe(told);
});

test('every country that the service takes can be chosen', () => {
  expect([...countryCodes].sort()).toEqual([...getCountries()].sort());
});

test('time zones are offered by their present names, and the one that is stored by its own, each once', () => {
  const names = timeZoneNames('US/Eastern');
  const present = ['Asia/Kolkata', 'Europe/Kyiv', 'Asia/Ho_Chi_Minh', 'Asia/Yangon'];
  const wanted = ['UTC', 'America/Argentina/Buenos_Aires', ...present, 'US/Eastern'];
  expect(wanted.filter((zone) => !names.includes(zone))).toEqual([]);
  expect(names).toHaveLength(new Set(names).size);
  expect(timeZoneNames('')).not.toContain('');
});

test('an export has the conditions of the list that it is of, and none that are empty', () => {
  const g = [{ created_at_lt: '-P7D' }, { m: 'or', id_in: [1, 2], name_null: true }];
  const query = { name_or_email_cont: 'a&b=é', status_eq: '', owner: undefined, s: 'id desc', g };
  const { pathname, searchParams } = new URL(exportAddress(7, 'deals', query), 'https://crm.test');
  expect(pathname).toBe('/api/v1/accounts/7/deals/export');
  expect([...searchParams]).toEqual([
    ['format', 'csv'],
    ['query[name_or_email_cont]', 'a&b=é'],
    ['query[s]', 'id desc'],
    ['query[g][0][created_at_lt]', '-P7D'],
    ['query[g][1][m]', 'or'],
    ['query[g][1][id_in][]', '1'],
    ['query[g][1][id_in][]', '2'],
    ['query[g][1][name_null]', 'true'],
  ]);
});

test.each(Object.entries({ en, 'pt-BR': ptBR, es, de }))(
  'what a column of an import may become is told apart in the words of %s',
  (_, said) => {
    for (const records of importable) {
      const targets = targetsOf(records, false);
      const names = targets.map((target) => fieldName(target, said));
      expect(names.filter((name) => /_|\./.test(name))).toEqual([]);
      expect(new Set(names).size).toBe(targets.length);
    }
  },
);

test.each([
  [en, 'Delete 1 record?', 'resting after 1 day'],
  [ptBR, 'Excluir 1 registro?', 'parado após 1 dia'],
  [es, '¿Eliminar 1 registro?', 'en reposo tras 1 día'],
  [de, '1 Datensatz löschen?', 'ruht nach 1 Tag'],
])('one record and one day are said in the singular', ({ bulk, pipelines }, remove, rests) => {
  expect([bulk.remove('1'), pipelines.rests(1)]).toEqual([remove, rests]);
});

/** Columns that are always empty, since nothing here writes them. */
const unwritten = ['app_type', 'app_id', 'chat_conversations_label_list'];

test.each(Object.entries({ en, 'pt-BR': ptBR, es, de }))(
  'whatever an entry of the audit log holds has a name in the words of %s',
  (_, said) => {
    const columns = Object.entries({ ...tables, accounts }).flatMap(([table, { columns }]) =>
      isRecorded(table) && table !== 'audit_entries'
        ? Object.keys(columns).filter((column) => isAudited(table, column))
        : [],
    );
    const unnamed = columns.filter((column) => fieldName(column, said) === column);
    expect(new Set(unnamed)).toEqual(new Set(unwritten));
  },
);

test('a field is called what its form calls it, and a key of an attribute as it was given', () => {
  expect(fieldName('contact_id', en)).toBe('Contact');
  expect(fieldName('contact.custom_attributes.legacy.id', de)).toBe(
    'Kontakt: Eigene Attribute: legacy.id',
  );
  expect(fieldName('webpush_notify', en)).toBe('webpush_notify');
});
