import { X509Certificate } from 'node:crypto';
import { Server } from 'node:tls';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from '../../config/config.ts';
import { type Certificate, certificateFor, secured } from './certificate.ts';

const day = 86_400_000;

/** How long before its end a certificate should have been renewed. */
const noticeMs = 21 * day;

/** Serves a certificate that was renewed on disk to new connections, without a restart. */
export class CertificateWatch {
  readonly #server: Pick<Server, 'setSecureContext'>;
  readonly #config: Config;
  readonly #log: FastifyBaseLogger;
  #presented: Certificate;
  /** Why what the files hold is not presented; each reason is logged once. */
  #obstacle = '';
  #warnedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** @param presented the certificate that the server was created with */
  constructor(
    server: Pick<Server, 'setSecureContext'>,
    config: Config,
    presented: Certificate,
    log: FastifyBaseLogger,
  ) {
    this.#server = server;
    this.#config = config;
    this.#presented = presented;
    this.#log = log;
  }

  /** Days until the certificate in use ends; less than 0 once it has. */
  get remainingDays(): number {
    return (this.#ends().getTime() - Date.now()) / day;
  }

  /** Looks now and then at the files until `stop`. Ours is only renewed a week before it ends. */
  start(): void {
    void this.look();
    const everyMs = this.#config.tls.kind === 'files' ? 1000 : day;
    this.#timer = setInterval(() => void this.look(), everyMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Presents what the files hold. If they cannot be read, or do not fit together because one of them is
   * still being written, the certificate in use stays. Warns once a day of one that others should have
   * renewed.
   */
  async look(now: Date = new Date()): Promise<void> {
    try {
      const certificate = await certificateFor(this.#config);
      if (certificate && !this.#isPresented(certificate)) this.#present(certificate);
      this.#obstacle = '';
    } catch (error) {
      this.#complain(error);
    }
    if (this.#config.tls.kind === 'files') this.#warnOfEnd(now.getTime());
  }

  #isPresented({ cert, key }: Certificate): boolean {
    return cert === this.#presented.cert && key === this.#presented.key;
  }

  #present(certificate: Certificate): void {
    this.#server.setSecureContext(secured(certificate));
    this.#presented = certificate;
    this.#warnedAt = Number.NEGATIVE_INFINITY;
    this.#log.info({ ends: this.#ends() }, 'the certificate was renewed');
  }

  #complain(error: unknown): void {
    const reason = String(error);
    if (reason === this.#obstacle) return;
    this.#obstacle = reason;
    this.#log.warn({ err: error }, 'the certificate on disk cannot be used: the one before stays');
  }

  #warnOfEnd(now: number): void {
    const ends = this.#ends();
    if (ends.getTime() - now > noticeMs || now - this.#warnedAt < day) return;
    this.#warnedAt = now;
    this.#log.warn({ ends }, 'the certificate ends within three weeks, or has ended');
  }

  #ends(): Date {
    return new Date(new X509Certificate(this.#presented.cert).validTo);
  }
}

/** Has a server present a new certificate when there is one, if it presents any. */
export function watchCertificate(
  config: Config,
  { server }: FastifyInstance,
  presented: Certificate | undefined,
  log: FastifyBaseLogger,
): CertificateWatch | undefined {
  if (!presented || !(server instanceof Server)) return undefined;
  const watch = new CertificateWatch(server, config, presented, log);
  watch.start();
  return watch;
}
