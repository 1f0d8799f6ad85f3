import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createSecureContext } from 'node:tls';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { certificateFor, selfSigned } from '../../src/http/tls/certificate.ts';

const day = 86_400_000;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm certificate '));
});
afterEach(() => rm(directory, { recursive: true }));

test('it is for localhost by name and by both addresses, and its key fits', async () => {
  const { cert, key } = await selfSigned(directory);
  const certificate = new X509Certificate(cert);
  expect(certificate.checkHost('localhost')).toBe('localhost');
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(certificate.checkIP('::1')).toBe('::1');
  expect(certificate.checkHost('example.com')).toBeUndefined();
  expect(() => createSecureContext({ cert, key })).not.toThrow();
});

test('it is made once, even by two at once, and nobody else may read its key', async () => {
  const [one, two] = await Promise.all([selfSigned(directory), selfSigned(directory)]);
  const later = await selfSigned(directory);
  expect(one.cert.trim()).toBe(later.cert.trim());
  expect(two.cert.trim()).toBe(later.cert.trim());
  expect(one.key.trim()).toBe(later.key.trim());
  expect((await stat(join(directory, 'tls.pem'))).mode & 0o777).toBe(0o600);
});

test('it lies beside its key for everybody to read, and clients that trust it are content', async () => {
  const [{ cert, key }] = await Promise.all([selfSigned(directory), selfSigned(directory)]);
  const path = join(directory, 'tls.crt');
  expect(await readFile(path, 'utf8')).toBe(cert);
  expect((await stat(path)).mode & 0o777).toBe(0o644);
  const server = createServer({ cert, key }, (_, response) => response.end('trusted')).listen(0);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const ca = await readFile(path);
  const [answer] = await once(get({ host: '127.0.0.1', port, ca, agent: false }), 'response');
  expect(await text(answer)).toBe('trusted');
  server.close();
});

test('what lies beside the key is renewed with it', async () => {
  await selfSigned(directory);
  const { cert } = await selfSigned(directory, new Date(Date.now() + 360 * day));
  expect(await readFile(join(directory, 'tls.crt'), 'utf8')).toBe(cert);
});

test('it is made again before it ends, or when its file is damaged', async () => {
  const first = await selfSigned(directory);
  const soon = new Date(Date.now() + 360 * day);
  const second = await selfSigned(directory, soon);
  expect(second.cert).not.toBe(first.cert);
  expect(new Date(new X509Certificate(second.cert).validTo).getTime()).toBeGreaterThan(
    soon.getTime() + 300 * day,
  );
  await writeFile(join(directory, 'tls.pem'), 'not a certificate');
  expect((await selfSigned(directory)).cert).toContain('BEGIN CERTIFICATE');
});

test('configured files are used, and a missing one is named with its variable', async () => {
  const { cert, key } = await selfSigned(directory);
  const files = {
    TLS_CERT_FILE: join(directory, 'cert.pem'),
    TLS_KEY_FILE: join(directory, 'key.pem'),
  };
  await writeFile(files.TLS_CERT_FILE, cert);
  await expect(certificateFor(readConfig(files))).rejects.toThrow(/^TLS_KEY_FILE names .*key\.pem/);
  await writeFile(files.TLS_KEY_FILE, key);
  expect(await certificateFor(readConfig(files))).toEqual({ cert, key });
});

test('behind a proxy there is none', async () => {
  const config = readConfig({ TLS: 'proxy', TRUSTED_PROXIES: '10.0.0.1' });
  expect(await certificateFor(config)).toBeUndefined();
});
