/** Between the suite and the service: it can send no token and speaks no TLS. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { DemoService } from '../kit/demo_service.ts';

type Service = Pick<DemoService, 'port' | 'token'>;

const isLocal = /^http:\/\/(localhost|127\.0\.0\.1):\d+$/;

/**
 * Passes requests on with the token and by TLS, and otherwise as they are. Where they come from a page of its own origin,
 * that of the service is meant.
 */
export class Doorway {
  readonly #server: Server;
  #service: Service | undefined;

  private constructor() {
    this.#server = createServer((incoming, outgoing) => {
      const { port, token } = this.#service ?? {};
      const { host, origin } = incoming.headers;
      const isOwn = origin === `http://${host}` && isLocal.test(origin);
      const headers = {
        ...incoming.headers,
        authorization: `Bearer ${token}`,
        ...(isOwn && { origin: `https://${host}` }),
      };
      const { method, url: path } = incoming;
      const options = { port, method, path, headers, rejectUnauthorized: false };
      const onward = request(options, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    });
  }

  static async open(): Promise<Doorway> {
    const doorway = new Doorway();
    await once(doorway.#server.listen(0, '127.0.0.1'), 'listening');
    return doorway;
  }

  /** Where the suite finds the service's door for agents. */
  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  leadTo(service: Service): void {
    this.#service = service;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
