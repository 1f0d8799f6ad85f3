/** The secret that signs tokens changes while two processes are under load. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmbedded } from '../../src/postgres/embedded.ts';
import { runCommand } from '../kit/command.ts';
import {
  call,
  type Demo,
  demo,
  killProcesses,
  type ServiceProcess,
  startProcess,
} from '../kit/process.ts';
import { secret as first } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';

const foreign = 'a secret that this database has never heard of';

let directory: string;
let shop: Demo;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm rotation '));
  shop = await demo();
});
afterAll(async () => {
  killProcesses();
  await shop.database.close();
  await rm(directory, { recursive: true });
});

const crm = (args: readonly string[], env: NodeJS.ProcessEnv) =>
  runCommand(args, { DATABASE_URL: shop.database.url, DATA_DIR: directory, ...env });

async function answer(args: readonly string[], env: NodeJS.ProcessEnv): Promise<unknown> {
  const { code, out, err } = await crm(args, env);
  expect({ args, code, err }).toEqual({ args, code: 0, err: '' });
  return JSON.parse(out);
}

/** A process, and what clients are asking it. */
interface Member {
  readonly process: ServiceProcess;
  readonly asking: Set<Promise<void>>;
}

/** Two processes as a balancer has them, and clients with each of the tokens. */
class Fleet {
  readonly tokens = new Set<string>();
  readonly answers = new Map<number, number>();
  #members: Member[] = [];
  #goesOn = true;

  async #start(env: NodeJS.ProcessEnv): Promise<Member> {
    return { process: await startProcess(shop, env), asking: new Set() };
  }

  /** Replaces each process by one with these secrets, one after the other, as restarts do. */
  async restart(env: NodeJS.ProcessEnv): Promise<void> {
    for (const at of [0, 1]) {
      const before = this.#members[at];
      this.#members[at] = await this.#start(env);
      if (!before) continue;
      await Promise.all(before.asking);
      process.kill(before.process.pid, 'SIGTERM');
      expect(await before.process.exit).toEqual([0, null]);
    }
  }

  stop(): void {
    this.#goesOn = false;
  }

  /** Asks with every token in turn, and every process, until it is stopped. */
  async load(): Promise<void> {
    for (let n = 0; this.#goesOn; n += 1) {
      for (const token of this.tokens) {
        const member = this.#members[n % this.#members.length];
        if (!member) throw new Error('there is no process');
        const asking = this.#ask(member, token);
        member.asking.add(asking);
        await asking;
        member.asking.delete(asking);
      }
    }
  }

  async #ask({ process: { port } }: Member, token: string): Promise<void> {
    const status = await call({ port }, { ...shop, token }, 'POST', '/deals/search');
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
  }
}

test('through all steps no request is refused, and no token is printed that would be', async () => {
  const fleet = new Fleet();
  const [admin] = await shop.database.query<{ id: number; email: string }>(
    "SELECT id, email FROM users WHERE role = 'admin'",
  );
  if (!admin) throw new Error('the demo has an admin');
  const print = (env: NodeJS.ProcessEnv) => crm(['token', 'create', '--email', admin.email], env);
  /** Prints a token with these secrets, and with a foreign one; the first is in use from now on. */
  const use = async (env: NodeJS.ProcessEnv) => {
    const { code, out, err } = await print(env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    fleet.tokens.add(out.trim());
    const refused = await print({ ...env, JWT_SECRET: foreign });
    expect({ code: refused.code, out: refused.out }).toEqual({ code: 1, out: '' });
    expect(refused.err).toContain('JWT_SECRET is not a secret of this database');
    return out.trim();
  };
  const old = { JWT_SECRET: first };
  await fleet.restart(old);
  // Made by versions before, whose tokens do not say which secret signed them.
  const oldest = await issue(shop.database, { id: admin.id, account_id: shop.accountId });
  const ending = [oldest, shop.token];
  for (const token of ending) fleet.tokens.add(token);
  const load = Promise.all([1, 2, 3, 4].map(() => fleet.load()));
  ending.push(await use(old));

  const file = join(directory, 'next');
  expect(await answer(['secret', 'rotate', '--file', file], old)).toMatchObject({ file });
  ending.push(await use(old));
  const both = {
    JWT_SECRET: (await readFile(file, 'utf8')).trim(),
    JWT_SECRET_PREVIOUS: first,
  };
  await fleet.restart(both);
  ending.push(await use(both));

  await answer(['secret', 'activate'], both);
  await use(both);
  // A shell that was forgotten has the old secret alone.
  expect(await print(old)).toMatchObject({ code: 1, out: '' });

  for (const token of ending) fleet.tokens.delete(token);
  const [{ fingerprint } = { fingerprint: '' }, next] = (await answer(
    ['secret', 'list'],
    both,
  )) as readonly { fingerprint: string; tokens: number }[];
  expect(next?.tokens).toBe(1);
  const retire = ['secret', 'retire', '--fingerprint', fingerprint];
  expect(await crm(retire, both)).toMatchObject({ code: 1, out: '' });
  await answer([...retire, '--end-tokens'], both);
  const alone = { JWT_SECRET: both.JWT_SECRET };
  await fleet.restart(alone);
  await use(alone);

  fleet.stop();
  await load;
  expect([...fleet.answers.keys()]).toEqual([200]);
  expect(fleet.answers.get(200)).toBeGreaterThan(200);
});

test('the secret that a data directory keeps changes there, and is activated after a restart', async () => {
  const DATA_DIR = join(directory, 'embedded');
  const env = { DATABASE_URL: '', JWT_SECRET: '', DATA_DIR };
  const kept = (name: string) => readFile(join(DATA_DIR, name), 'utf8');
  await answer(['migrate'], env);
  await answer(['seed'], env);
  const before = await kept('JWT_SECRET');
  const service = await startEmbedded(DATA_DIR);
  expect(await answer(['secret', 'rotate'], env)).toMatchObject({
    file: join(DATA_DIR, 'JWT_SECRET'),
  });
  expect(await kept('JWT_SECRET_PREVIOUS')).toBe(before);
  expect(await kept('JWT_SECRET')).not.toBe(before);
  expect(await crm(['secret', 'activate'], env)).toEqual({
    code: 1,
    out: '',
    err: 'The service runs without the announced secret: restart it first\n',
  });
  await service.stop();
  await answer(['secret', 'activate'], env);
  const [old] = (await answer(['secret', 'list'], env)) as readonly { fingerprint: string }[];
  const retire = ['secret', 'retire', '--fingerprint', old?.fingerprint ?? '', '--end-tokens'];
  await answer(retire, env);
  expect(await kept('JWT_SECRET_PREVIOUS')).toBe('');
  expect(await answer(['doctor'], env)).toMatchObject({
    healthy: true,
    database: { secrets: { difference: null } },
  });
});
