import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type Server } from 'node:tls';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { type Certificate, selfSigned } from '../../src/http/tls/certificate.ts';
import { CertificateWatch } from '../../src/http/tls/certificate_watch.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';

const day = 86_400_000;

let directory: string;
let files: { TLS_CERT_FILE: string; TLS_KEY_FILE: string };
let first: Certificate;
let second: Certificate;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm certificate '));
  files = { TLS_CERT_FILE: join(directory, 'cert.pem'), TLS_KEY_FILE: join(directory, 'key.pem') };
  first = await selfSigned(join(directory, 'first'));
  second = await selfSigned(join(directory, 'second'));
  await write(first);
});
afterEach(() => rm(directory, { recursive: true }));

async function write({ cert, key }: Partial<Certificate>): Promise<void> {
  if (cert !== undefined) await writeFile(files.TLS_CERT_FILE, cert);
  if (key !== undefined) await writeFile(files.TLS_KEY_FILE, key);
}

/** The certificate that a client of a port is shown. */
const shown = (port: number) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });

const fingerprint = ({ cert }: Certificate) => new X509Certificate(cert).fingerprint256;

/** A watched server, looked at by hand. */
async function watched(
  work: (watch: CertificateWatch, port: number, said: () => string[]) => Promise<void>,
) {
  const lines: string[] = [];
  const server: Server = createServer(first, (socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const said = () => lines.splice(0).map((line): string => JSON.parse(line).msg);
  await work(new CertificateWatch(server, readConfig(files), first, log), port, said);
  await new Promise((resolve) => server.close(resolve));
}

test('a service that runs presents what was renewed on disk', async () => {
  const service = await startService({ env: files });
  try {
    const port = Number(new URL(service.url).port);
    expect(await shown(port)).toBe(fingerprint(first));
    await write(second);
    const renewed = (now: string) => now === fingerprint(second);
    expect(await until(() => shown(port), renewed, 5000)).toBe(fingerprint(second));
  } finally {
    await service.close();
  }
});

test('half a pair, or none, leaves the one before, and each is told once', async () => {
  await watched(async (watch, port, said) => {
    for (const step of [
      () => write({ cert: second.cert }),
      () => write({ cert: second.cert.slice(0, 300) }),
      () => write({ cert: '' }),
      () => write({ cert: second.cert, key: '' }),
      () => rm(files.TLS_CERT_FILE),
    ]) {
      await step();
      await watch.look();
      expect(await shown(port)).toBe(fingerprint(first));
    }
    const told = 'the certificate on disk cannot be used: the one before stays';
    expect(said()).toEqual([told, told]);
    await write(second);
    await watch.look();
    expect(said()).toEqual(['the certificate was renewed']);
    expect(await shown(port)).toBe(fingerprint(second));
  });
});

test('it is said once a day from three weeks before the end that a certificate ends', async () => {
  await watched(async (watch, _, said) => {
    const ends = Date.parse(new X509Certificate(first.cert).validTo);
    const heard = async (days: number) => {
      await watch.look(new Date(ends - days * day));
      return said().length;
    };
    const told: [number, number][] = [];
    for (const days of [30, 21.1, 20.9, 20.5, 20, 19.89, 1, -1])
      told.push([days, await heard(days)]);
    expect(told).toEqual([
      [30, 0],
      [21.1, 0],
      [20.9, 1],
      [20.5, 0],
      [20, 0],
      [19.89, 1],
      [1, 1],
      [-1, 1],
    ]);
  });
});
