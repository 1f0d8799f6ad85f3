import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Command, InvalidArgumentError } from 'commander';
import { Webhook } from 'standardwebhooks';
import { hasCode } from '../lib/process_lock.ts';
import { print } from './command.ts';
import { CommandError } from './command_error.ts';
import { example } from './help.ts';

interface Listening {
  readonly port: number;
  readonly secret?: Webhook;
}

/** Bytes of a message that are read. */
const maxBytes = 4 * 1024 * 1024;

/** Prints what comes, one line each, until the process is told to stop; answers 400 to what is not signed. */
async function listen({ port, secret }: Listening): Promise<void> {
  const server = createServer(async (request, response) => {
    const body = await read(request);
    const fault = secret && faultOf(secret, request.headers, body);
    response.writeHead(fault === undefined ? 200 : 400).end(fault);
    print({
      id: request.headers['webhook-id'] ?? null,
      at: request.headers['webhook-timestamp'] ?? null,
      // Without a secret nothing is known.
      signed: secret ? fault === undefined : null,
      ...(fault !== undefined && { fault }),
      body: parsed(body),
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', (error) => {
      const isTaken = hasCode(error, 'EADDRINUSE');
      reject(
        isTaken ? new CommandError(`Port ${port} is in use: name another with --port`) : error,
      );
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const own = typeof address === 'object' && address ? address.port : port;
      process.stderr.write(
        `Listening at http://127.0.0.1:${own}/ (a service reaches it with WEBHOOK_ALLOW=127.0.0.1:${own})\n`,
      );
    });
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  server.closeAllConnections();
  server.close();
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function faultOf(secret: Webhook, headers: IncomingHttpHeaders, body: string): string | undefined {
  const of = (name: string) => String(headers[name] ?? '');
  try {
    secret.verify(
      body,
      {
        'webhook-id': of('webhook-id'),
        'webhook-timestamp': of('webhook-timestamp'),
        'webhook-signature': of('webhook-signature'),
      },
      { jsonParse: false },
    );
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** As JSON, or as the text that it is. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('It must be an integer from 0 to 65535.');
}

function secretOf(text: string): Webhook {
  if (!/^whsec_[\w+/]+={0,2}$/.test(text)) {
    throw new InvalidArgumentError('It must be as it was shown, beginning with whsec_.');
  }
  return new Webhook(text);
}

const listening = new Command('listen')
  .description('prints and verifies what arrives at a port of this machine, to develop a receiver')
  .option('--port <port>', 'the port of 127.0.0.1', portOf, 9000)
  .option(
    '--secret <secret>',
    'the secret to verify signatures with; without it none is verified',
    secretOf,
  )
  .addHelpText('after', example('webhook listen --port 9000 --secret whsec_MfKQ9r8GKYqrTwjU'))
  .action(listen);

export const webhookCommand = new Command('webhook')
  .description('Receivers of webhooks')
  .addCommand(listening);
