import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import type { Config } from '../config.ts';
import { hasCode, withProcessLock } from '../process_lock.ts';

/** Certificate and key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const day = 86_400_000;

/**
 * What the port proves itself with.
 * @returns undefined behind a proxy that terminates TLS
 * @throws when a configured file cannot be read, naming the variable
 */
export async function certificateFor(config: Config): Promise<Certificate | undefined> {
  const { tls, dataDir } = config;
  switch (tls.kind) {
    case 'proxy':
      return undefined;
    case 'files': {
      const [cert, key] = await Promise.all([
        readConfigured('TLS_CERT_FILE', tls.certFile),
        readConfigured('TLS_KEY_FILE', tls.keyFile),
      ]);
      return { cert, key };
    }
    case 'self-signed':
      return selfSigned(dataDir);
  }
}

async function readConfigured(variable: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`${variable} names ${path}, which cannot be read`, { cause: error });
  }
}

/**
 * A certificate of this machine's own for localhost, made once and kept in `dataDir` with its key
 * (readable by its owner alone); made again when it has less than a week left.
 */
export async function selfSigned(dataDir: string, now: Date = new Date()): Promise<Certificate> {
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, 'tls.pem');
  return withProcessLock(`${path}.lock`, async () => {
    const kept = await read(path);
    if (kept && isValid(kept, now)) return kept;
    const made = await make(now);
    // One file and one rename: never a certificate with another one's key.
    await writeFile(`${path}.new`, `${made.cert.trim()}\n${made.key.trim()}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path);
    return made;
  });
}

async function read(path: string): Promise<Certificate | undefined> {
  try {
    const pem = await readFile(path, 'utf8');
    const at = pem.search(/-----BEGIN [A-Z ]*PRIVATE KEY-----/);
    return at > 0 ? { cert: pem.slice(0, at), key: pem.slice(at) } : undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function isValid({ cert }: Certificate, now: Date): boolean {
  try {
    return new Date(new X509Certificate(cert).validTo).getTime() > now.getTime() + 7 * day;
  } catch {
    return false;
  }
}

async function make(now: Date): Promise<Certificate> {
  const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now.getTime() - day),
    notAfterDate: new Date(now.getTime() + 365 * day),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  return { cert: pems.cert, key: pems.private };
}
