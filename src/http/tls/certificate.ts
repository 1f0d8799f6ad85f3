import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Config } from '../../config/config.ts';
import { readOrCreate } from '../../lib/secret_file.ts';

/** Certificate and key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Suites with forward secrecy and authenticated encryption alone (RFC 9325, 4.2); TLS 1.3 has no others. */
const suites = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
].join(':');

/** How TLS is spoken with a certificate. */
export const secured = (certificate: Certificate) => ({
  ...certificate,
  minVersion: 'TLSv1.2' as const,
  ciphers: suites,
});

const day = 86_400_000;

/**
 * The certificate that the port presents.
 * @returns undefined behind a proxy that terminates TLS
 * @throws when a configured file cannot be read, naming the variable, or the two do not belong together
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
      return fitting({ cert, key });
    }
    case 'self-signed':
      return selfSigned(dataDir);
  }
}

/** Node would start without the key, or without the certificate, where a file is empty. */
function fitting(certificate: Certificate): Certificate {
  try {
    const { cert, key } = certificate;
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
      throw new Error('the key is that of another certificate');
    }
    createSecureContext(certificate);
  } catch (error) {
    throw new Error('TLS_CERT_FILE and TLS_KEY_FILE are not a certificate and its key', {
      cause: error,
    });
  }
  return certificate;
}

async function readConfigured(variable: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`${variable} names ${path}, which cannot be read`, { cause: error });
  }
}

/**
 * A self-signed certificate for localhost, made once and kept in `dataDir` with its key (`tls.pem`,
 * readable by its owner alone); renewed when it has less than a week left. `tls.crt` holds it without
 * the key, for clients to trust.
 */
export async function selfSigned(dataDir: string, now: Date = new Date()): Promise<Certificate> {
  // In one file, so that a certificate never comes with another one's key.
  const certificate = await readOrCreate(
    join(dataDir, 'tls.pem'),
    (pem) => readPem(pem, now),
    () => make(now),
  );
  const { cert } = certificate;
  const isSame = (text: string) => (text === cert ? cert : undefined);
  await readOrCreate(join(dataDir, 'tls.crt'), isSame, () => cert, 0o644);
  return certificate;
}

/** Certificate and key, in this order; undefined if the certificate has expired or soon will. */
function readPem(pem: string, now: Date): Certificate | undefined {
  const at = pem.search(/-----BEGIN [A-Z ]*PRIVATE KEY-----/);
  const [cert, key] = [pem.slice(0, at), pem.slice(at)];
  return at > 0 && isValid(cert, now) ? { cert, key } : undefined;
}

function isValid(cert: string, now: Date): boolean {
  try {
    return new Date(new X509Certificate(cert).validTo).getTime() > now.getTime() + 7 * day;
  } catch {
    return false;
  }
}

async function make(now: Date): Promise<string> {
  // It takes longer to load than all else of TLS, and is needed once a year.
  const { generate } = await import('selfsigned');
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
  return `${pems.cert.trim()}\n${pems.private.trim()}\n`;
}
