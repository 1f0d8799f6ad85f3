import { connect as connectPlain } from 'node:net';
import { connect } from 'node:tls';

/**
 * Everything that comes back over one connection, by TLS unless it is a proxy's, for bytes that
 * need be no request.
 */
export function answerToBytes(url: string, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const { protocol, hostname: host, port } = new URL(url);
    const to = { host, port: Number(port) };
    const socket =
      protocol === 'http:' ? connectPlain(to) : connect({ ...to, rejectUnauthorized: false });
    const parts: Buffer[] = [];
    socket.on('data', (part: Buffer) => parts.push(part));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(parts).toString()));
    socket.write(bytes);
  });
}
