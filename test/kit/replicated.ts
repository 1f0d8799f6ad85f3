import { execFile } from 'node:child_process';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbedded } from '../../src/postgres/embedded.ts';

const run = promisify(execFile);

/** Two servers, of which one follows the other. */
export interface Replicated {
  readonly primary: string;
  readonly standby: string;
  stop(): Promise<void>;
}

/** @param directory for both; made when missing */
export async function startReplicated(directory: string): Promise<Replicated> {
  const [first, second] = [join(directory, 'primary'), join(directory, 'standby')];
  // A server that is not running is copied as it is.
  await (await startEmbedded(first)).stop();
  await mkdir(second);
  for (const part of ['postgres', 'postgres.password']) {
    await run('cp', ['-a', join(first, part), second]);
  }
  const primary = await startEmbedded(first);
  const { port, password } = new URL(primary.url);
  const follow = `host=127.0.0.1 port=${port} user=crm password=${password}`;
  await appendFile(
    join(second, 'postgres', 'postgresql.auto.conf'),
    `primary_conninfo = '${follow}'\nhot_standby_feedback = on\n`,
  );
  await writeFile(join(second, 'postgres', 'standby.signal'), '');
  const standby = await startEmbedded(second);
  return {
    primary: primary.url,
    standby: standby.url,
    stop: async () => {
      await standby.stop();
      await primary.stop();
    },
  };
}
