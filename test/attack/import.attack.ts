/** A hundred thousand rows are imported: how long that takes, how much memory, and what kills do to it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { main } from '../kit/command.ts';
import { readCsv } from '../kit/csv.ts';
import { given } from '../kit/environment.ts';
import { type Service, secret, startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';
import { tell } from './scene.ts';

const rows = Number(process.env.IMPORT_ROWS ?? 100_000);
const mebibyte = 1024 * 1024;

let service: Service;
let account: World;
let directory: string;
beforeAll(async () => {
  service = await startService({ env: { LOG_LEVEL: 'error' } });
  directory = await mkdtemp(join(tmpdir(), 'import-attack-'));
});
afterAll(() => service.close());

/** One row of each thousand is refused. */
const bad = Math.ceil(rows / 1000);
const isBad = (at: number) => at % 1000 === 7;

/** Only names distinguish them: nothing in the database refuses a second one. */
async function fileOf(name: string, count: number): Promise<string> {
  const path = join(directory, name);
  const out = createWriteStream(path);
  out.write('Name;E-Mail;Telefon;Etiquetas;Cidade;Criado em\r\n');
  for (let at = 0; at < count; at++) {
    const email = isBad(at) ? 'none' : at % 2 === 0 ? `p${at}@example.com` : '';
    const phone = `+55819${String(90_000_000 + at).padStart(8, '0')}`;
    const row = `"Pessoa ""${at}""";${email};${phone};vip, cliente;São Paulo;\r\n`;
    if (!out.write(row)) await once(out, 'drain');
  }
  await finished(out.end());
  return path;
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly ms: number;
  /** Bytes at its peak. */
  readonly memory: number;
}

/** @param onStart called with how to kill it */
async function run(
  file: string,
  where: 'here' | 'there',
  onStart?: (kill: () => void) => void,
): Promise<Ended> {
  const args = ['import', 'contacts', file, '--account', String(account.accountId)];
  const remote = where === 'there' ? ['--url', service.url] : [];
  const map = ['--map', 'Cidade=custom_attributes.city,Criado em='];
  const began = performance.now();
  const child = spawn(process.execPath, [main, ...args, ...map, ...remote], {
    env: {
      ...process.env,
      DATABASE_URL: service.database.url,
      JWT_SECRET: secret,
      CRM_TOKEN: account.admin.token,
      NODE_EXTRA_CA_CERTS: given('CRM_TEST_CERT'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let memory = 0;
  const watching = setInterval(() => {
    memory = Math.max(memory, peakOf(child.pid ?? 0));
  }, 20);
  onStart?.(() => child.kill('SIGKILL'));
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearInterval(watching);
  return { code, out, ms: performance.now() - began, memory };
}

function peakOf(pid: number): number {
  try {
    const [, peak] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(peak ?? 0) * 1024;
  } catch {
    return 0;
  }
}

test.each(['here', 'there'] as const)(
  '%s, it takes half a minute and little memory',
  async (where) => {
    account = await world(service);
    const small = await run(await fileOf(`one-${where}.csv`, 1), where);
    expect(small.code).toBe(0);
    account = await world(service);
    const { code, out, ms, memory } = await run(await fileOf(`all-${where}.csv`, rows), where);
    const more = (memory - small.memory) / mebibyte;
    tell(`import, ${where}`, { rows, seconds: ms / 1000, megabytes: more });
    expect({ code, ...JSON.parse(out) }).toMatchObject({
      code: 1,
      created: rows - bad,
      refused: bad,
    });
    expect(ms).toBeLessThan(30_000);
    expect(more).toBeLessThan(60);
  },
);

test.each(['here', 'there'] as const)(
  '%s, killed three times, each row is written once',
  async (where) => {
    account = await world(service);
    const file = await fileOf(`killed-${where}.csv`, rows);
    const killedAt: number[] = [];
    for (let kill = 1; kill <= 3; kill++) {
      const goal = (rows / 5) * (kill + Math.random() / 4);
      const ended = await run(file, where, (end) => {
        void until(
          () => account.count('contacts'),
          (count) => count >= goal,
          60_000,
        ).then(end);
      });
      expect(ended.code).toBe(null);
      killedAt.push(await account.count('contacts'));
    }
    const { out } = await run(file, where);
    tell(`import, killed ${where}`, { rows, killedAt });
    expect(JSON.parse(out)).toMatchObject({ created: rows - bad, refused: bad });
    const [counted] = await service.database.query<{ all: number; different: number }>(
      `SELECT count(*) AS all, count(DISTINCT full_name) AS different FROM contacts WHERE account_id = $1`,
      [account.accountId],
    );
    expect(counted).toEqual({ all: rows - bad, different: rows - bad });
    const [, ...refused] = readCsv(await readFile(`${file}.refused.csv`, 'utf8'));
    expect(refused.map((cells) => Number(cells.at(-2)))).toEqual(
      Array.from({ length: bad }, (_, at) => at * 1000 + 7 + 2),
    );
  },
);
