/** A page of somebody's own that imports the client as a module and works with it in a browser. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { newSecret } from '../../src/resources/webhooks/secret.ts';
import { launch } from '../browser/program.ts';
import type { DemoService } from '../kit/demo_service.ts';
import { type Message, messageSigned } from './webhook.ts';

/** More contacts than a page of a walk has. */
const contacts = 150;

interface Settings {
  readonly url: string;
  readonly token: string;
  readonly secret: string;
  readonly messages: readonly Message[];
}

/** The script of the page, in the end of which its title is `done`. */
const script = `
import { createClient, verifyWebhook } from './client.js';

const print = (...parts) => document.body.append(parts.map(String).join(' '), '\\n');
try {
  const { url, token, secret, messages } = await (await fetch('settings.json')).json();
  const client = createClient({ url, token, account: 1 });
  const person = { email: 'bo.berg@example.com', full_name: 'Bo Berg' };
  const [first, second] = [await client.contacts.upsert(person), await client.contacts.upsert(person)];
  print('upsert', first.full_name, first.id === second.id);
  const records = Array.from({ length: ${contacts} }, (_, n) => ({ full_name: 'Walker ' + n }));
  await client.contacts.batch({ operation: 'create', records });
  const names = new Set();
  for await (const { full_name } of client.contacts.search({ query: { full_name_start: 'Walker ' } })) {
    names.add(full_name);
  }
  print('search', names.size);
  for (const { body, headers } of messages) {
    const change = await verifyWebhook(body, headers, secret).catch(() => undefined);
    print('webhook', change?.record_type);
  }
} catch (error) {
  print(error.stack);
}
document.title = 'done';
`;

const output = [
  'upsert Bo Berg true',
  `search ${contacts}`,
  'webhook contact',
  'webhook undefined',
].join('\n');

const page = `<!doctype html>
<meta charset="utf-8">
<title>running</title>
<link rel="icon" href="data:,">
<body style="white-space: pre"></body>
<script type="module" src="page.js"></script>
`;

/** The server of the page, whose origin the service has to allow. */
export class PageServer {
  #files: ReadonlyMap<string, readonly [type: string, content: string]> = new Map();
  readonly #server = createServer(({ url = '' }, response) => {
    const [type, content] = this.#files.get(url) ?? ['text/plain', undefined];
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': type }).end(content);
  });

  private constructor() {}

  static async open(): Promise<PageServer> {
    const server = new PageServer();
    await once(server.#server.listen(0, '127.0.0.1'), 'listening');
    return server;
  }

  /** Without TLS the service allows only this name. */
  get origin(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** @param folder of the package as it was installed */
  async show(folder: string, settings: Settings): Promise<void> {
    const client = await readFile(join(folder, 'index.js'), 'utf8');
    this.#files = new Map([
      ['/', ['text/html', page]],
      ['/page.js', ['text/javascript', script]],
      ['/client.js', ['text/javascript', client]],
      ['/settings.json', ['application/json', JSON.stringify(settings)]],
    ]);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/**
 * Opens the page in Chromium.
 * @param folder of the package as it was installed
 * @returns the browser's version
 * @throws {Error} for a page that prints anything else than it should
 */
export async function runInChromium(
  server: PageServer,
  folder: string,
  { url, token }: DemoService,
): Promise<string> {
  const secret = newSecret();
  const messages = [messageSigned(secret), messageSigned(newSecret())];
  await server.show(folder, { url, token, secret, messages });
  const browser = await launch();
  try {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const tab = await context.newPage();
    const errors: string[] = [];
    tab.on('pageerror', (error) => errors.push(String(error)));
    tab.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await tab.goto(server.origin);
    await tab.waitForFunction("document.title === 'done'");
    const text = (await tab.locator('body').innerText()).trim();
    if (text !== output) throw new Error([`it printed:\n${text}`, ...errors].join('\n'));
    return browser.version();
  } finally {
    await browser.close();
  }
}
