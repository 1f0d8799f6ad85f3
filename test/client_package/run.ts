/**
 * `npm run test:client`: the client that the service serves, installed by its address into empty projects. A program of
 * 25 lines compiles under `--strict` with TypeScript 5, 6 and 7, and runs on Node 20, 22 and 24; a page imports it in
 * Chromium, which must be there. npm brings compilers and programs into a folder that is removed in the end. Exits with
 * 1 when something fails.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../src/postgres/free_port.ts';
import { newSecret } from '../../src/resources/webhooks/secret.ts';
import { type DemoService, onDemoService } from '../kit/demo_service.ts';
import { install, nodeIn, nodePackage } from '../kit/npm.ts';
import { check } from '../kit/verdict.ts';
import { PageServer, runInChromium } from './page.ts';
import { output, program } from './program.ts';
import { messageSigned } from './webhook.ts';

const run = promisify(execFile);

const compilers = ['5', '6', '7'];
const nodes = ['20', '22', '24'];
const mostBytes = 20_000;

const folder = await mkdtemp(join(tmpdir(), 'crm-client-'));
const file = (...names: readonly string[]) => join(folder, ...names);
const certificate = file('data', 'tls.crt');
const modules = file('client', 'node_modules');

/** Where the program is that the first compiler made. */
const compiled = `typescript-${compilers[0]}`;

/** @returns how much there is to load of it */
async function installClient({ url }: DemoService): Promise<string> {
  await install(file('client'), [`${url}/client.tgz`], ['--cafile', certificate]);
  const { size } = await stat(new URL('../../dist/client.tgz', import.meta.url));
  if (size > mostBytes) throw new Error(`it has ${size} bytes`);
  return `${size} bytes`;
}

/** Compiles the program in a project with the client and a compiler. */
async function compile(version: string): Promise<string> {
  const project = `typescript-${version}`;
  await install(file(project), [`typescript@${version}`, '@types/node@20']);
  await cp(modules, file(project, 'node_modules'), { recursive: true });
  await writeFile(file(project, 'main.ts'), program);
  const tsc = file(project, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  await run(process.execPath, [tsc, ...options, 'main.ts'], { cwd: file(project) });
  return (await run(process.execPath, [tsc, '--version'])).stdout.trim();
}

/** Sends a webhook to the program, signed with a secret. */
async function deliver(port: number, secret: string): Promise<number> {
  const { headers, body } = messageSigned(secret);
  return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
}

/** Runs the compiled program under a version of Node. */
async function runUnder(version: string, { url, token }: DemoService): Promise<string> {
  const project = file(`node-${version}`);
  await install(project, [`${nodePackage}@${version}`]);
  const [port, secret] = [await freePort(), newSecret()];
  const child = spawn(nodeIn(project), ['main.js'], {
    cwd: file(compiled),
    env: {
      ...{ CRM_URL: url, CRM_TOKEN: token, WEBHOOK_SECRET: secret, PORT: String(port) },
      NODE_EXTRA_CA_CERTS: certificate,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += chunk;
    if (!String(chunk).includes('listening')) continue;
    const statuses = [await deliver(port, secret), await deliver(port, newSecret())];
    if (String(statuses) !== '204,400') throw new Error(`webhooks were answered ${statuses}`);
    child.kill('SIGTERM');
  }
  await exit;
  if (text.trim() !== output) throw new Error(`it printed:\n${text}`);
  return (await run(nodeIn(project), ['--version'])).stdout.trim();
}

async function checkAll(service: DemoService, server: PageServer): Promise<void> {
  await check('npm installs it by its address, with 20 kB at most', () => installClient(service));
  for (const version of compilers) {
    await check(`the program compiles under --strict, TypeScript ${version}`, () =>
      compile(version),
    );
  }
  for (const version of nodes) {
    await check(`the program runs, Node ${version}`, () => runUnder(version, service));
  }
  await check('a page of another origin works with it, Chromium', () =>
    runInChromium(server, join(modules, 'sales-crm-client'), service),
  );
}

const server = await PageServer.open();
try {
  // The certificate that the service makes for itself, whatever the environment names.
  const env = { TLS_CERT_FILE: '', TLS_KEY_FILE: '', ALLOWED_ORIGINS: server.origin };
  await onDemoService(file('data'), env, (service) => checkAll(service, server));
} finally {
  server.close();
  await rm(folder, { recursive: true, force: true });
}
