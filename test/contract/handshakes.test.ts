/** What clients may speak: suites of TLS, and versions of HTTP. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type ConnectionOptions, connect } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

/** @returns the suite that client and service agree on; undefined where they find none */
async function agreed(options: ConnectionOptions): Promise<string | undefined> {
  const port = Number(new URL(service.url).port);
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  try {
    await once(socket, 'secureConnect');
    return socket.getCipher().name;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

const older = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
// Without a level of its own OpenSSL would not even offer some of them.
const suite = (name: string) => agreed({ ...older, ciphers: `${name}:@SECLEVEL=0` });

describe('TLS 1.2', () => {
  test.each([
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
  ])('is spoken with %s', async (name) => {
    expect(await suite(name)).toBe(name);
  });

  test.each([
    'ECDHE-ECDSA-AES128-SHA',
    'ECDHE-ECDSA-AES256-SHA384',
    'ECDHE-ECDSA-AES128-CCM',
    'ECDHE-ECDSA-AES256-CCM8',
    'ECDHE-ECDSA-ARIA128-GCM-SHA256',
    'ECDHE-ECDSA-ARIA256-GCM-SHA384',
    'ECDHE-ECDSA-CAMELLIA128-SHA256',
  ])('is not spoken with %s', async (name) => {
    expect(await suite(name)).toBeUndefined();
  });
});

test.each(['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'])(
  'TLS 1.3 is spoken with %s',
  async (name) => {
    expect(await agreed({ minVersion: 'TLSv1.3', ciphers: name })).toBe(name);
  },
);

test('TLS 1.1 is not spoken', async () => {
  const options = {
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'ALL:@SECLEVEL=0',
  } as const;
  expect(await agreed(options)).toBeUndefined();
});

describe('curl', () => {
  const curl = async (...options: readonly string[]) => {
    const { stdout } = await promisify(execFile)('curl', ['--insecure', '--silent', ...options]);
    return stdout;
  };
  const authorized = () => ['--header', `Authorization: Bearer ${w.admin.token}`];
  const at = (path: string) => `${service.url}/api/v1/accounts/${w.accountId}${path}`;

  test.each(['--http1.0', '--http1.1', '--http2'])(
    '%s reads a record and an export',
    async (version) => {
      const { id } = await w.contact({ full_name: 'Ana' });
      const record = await curl(version, '--include', ...authorized(), at(`/contacts/${id}`));
      expect(record).toMatch(/^HTTP\/1\.1 200 /);
      expect(record).toContain('"full_name":"Ana"');
      const exported = await curl(
        version,
        '--include',
        ...authorized(),
        at('/contacts/export?format=ndjson'),
      );
      const [head = '', body = ''] = exported.split('\r\n\r\n');
      expect(
        body
          .trimEnd()
          .split('\n')
          .map((line) => Object(JSON.parse(line)).id),
      ).toContain(id);
      // HTTP/1.0 knows no chunks.
      expect(/^transfer-encoding: chunked$/im.test(head)).toBe(version !== '--http1.0');
    },
  );

  test('--http1.0 writes', async () => {
    const created = await curl(
      ...['--http1.0', '--json', '{"full_name":"Old"}', ...authorized()],
      at('/contacts'),
    );
    expect(JSON.parse(created)).toMatchObject({ full_name: 'Old' });
  });
});
