/** The host that a request names gets into links, and so must be one; an operator can name another. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { answerToBytes } from '../kit/bytes.ts';
import { type SharedService, sharedService, startService } from '../kit/service.ts';
import { moment } from '../kit/shapes.ts';
import { world } from '../kit/world.ts';

const proxy = {
  TLS: 'proxy',
  TRUSTED_PROXIES: '127.0.0.1',
  TLS_CERT_FILE: '',
  TLS_KEY_FILE: '',
};

const service = await sharedService();
const { database } = service;
const behindProxy = await startService({ database, env: proxy });
const named = await startService({ database, env: { PUBLIC_URL: 'https://CRM.example.com/' } });
const {
  accountId,
  admin: { id: userId, token },
} = await world(service);
afterAll(async () => {
  await named.close();
  await behindProxy.close();
});

const sentenceOf = (header: string) =>
  `${header} must be a host name or an address, with a port or without`;

const refusal = {
  status: 400,
  body: {
    error: 'Bad request',
    code: 'bad_request',
    errors: [sentenceOf('Host')],
    request_id: expect.any(String),
  },
};

const refusedLink = (header: string) => ({
  status: 400,
  body: {
    errors: [
      {
        message: 'Bad request',
        extensions: { code: 'BAD_USER_INPUT', errors: [sentenceOf(header)] },
      },
    ],
  },
});

/** Sends the bytes of a request, and reads what comes back as what it is. */
async function ask(by: SharedService, line: string, headers: string, body = '') {
  const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`;
  const bytes = `${line}\r\n${headers}Connection: close\r\n${length}\r\n${body}`;
  const [head = '', text = ''] = (await answerToBytes(by.url, bytes)).split('\r\n\r\n');
  return {
    status: Number(head.split(' ')[1]),
    body: text.startsWith('{') ? JSON.parse(text) : text,
  };
}

/** Where a link leads that a request makes. */
const link = (by: SharedService, headers: string, version = 'HTTP/1.1') => {
  const query = `mutation { create_sign_in_link(account_id: ${accountId}, user_id: ${userId}) { url expires_at } }`;
  const own = `Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
  return ask(by, `POST /graphql ${version}`, headers + own, JSON.stringify({ query }));
};
const leadingTo = (origin: string) => ({
  status: 200,
  body: {
    data: {
      create_sign_in_link: {
        url: expect.stringMatching(
          new RegExp(`^${origin.replace(/[.[\]]/g, '\\$&')}/console/welcome#[\\w-]{22}$`),
        ),
        expires_at: moment,
      },
    },
  },
});

const none = [
  'ev il',
  'evil"<b>',
  "evil'",
  'ada@evil',
  'evil/crm',
  'evil?',
  'evil#',
  'evil\\',
  'evil:port',
  'evil:65536',
  'evil:80:80',
  'ev%20il',
  'evil%',
  '1.2.3.256',
  '::1',
  '[::1',
  '[::g]',
  '[]',
  ':8443',
  '',
];

test.each(none)('an invalid host is a 400: %j', async (host) => {
  expect(await link(service, `Host: ${host}\r\n`)).toEqual(refusedLink('Host'));
});

test.each([...none.filter((host) => host !== ''), 'crm.example.com,'])(
  'so is that of a proxy that is trusted: %j',
  async (host) => {
    const headers = `Host: x\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: ${host}\r\n`;
    expect(await link(behindProxy, headers)).toEqual(refusedLink('X-Forwarded-Host'));
  },
);

test.each([
  'GET /livez',
  'GET /nothing',
  'TRACE /livez',
  'GET /session',
  'GET /console',
  'GET /docs',
  'GET /api/v1/accounts/1/contacts/1',
])('on every route: %s', async (line) => {
  const answer = await ask(service, `${line} HTTP/1.1`, 'Host: ev il\r\n');
  expect(answer).toEqual(refusal);
  const old = await ask(service, `${line} HTTP/1.0`, 'Host: ev il\r\n');
  expect(old).toEqual(refusal);
});

describe('a link leads', () => {
  test.each([
    'crm.example.com',
    'CRM_1.example.com:8443',
    'localhost:',
    '127.0.0.1:8443',
    '[::1]:8443',
    '[2001:db8::1]',
  ])('to the host of the request: %s', async (host) => {
    expect(await link(service, `Host: ${host}\r\n`)).toEqual(leadingTo(`https://${host}`));
  });

  test('to that which a proxy tells, when it is trusted', async () => {
    const told = 'X-Forwarded-Proto: https\r\nX-Forwarded-Host: other, crm.example.com\r\n';
    expect(await link(behindProxy, `Host: x\r\n${told}`)).toEqual(
      leadingTo('https://crm.example.com'),
    );
    expect(await link(service, `Host: x\r\n${told}`)).toEqual(leadingTo('https://x'));
  });

  test('to the address of the service where HTTP/1.0 names none', async () => {
    expect(await link(service, '', 'HTTP/1.0')).toEqual(leadingTo(service.url));
  });

  test('to what the operator names, whatever the request does', async () => {
    expect(await link(named, 'Host: evil.example.com\r\n')).toEqual(
      leadingTo('https://crm.example.com'),
    );
  });
});
