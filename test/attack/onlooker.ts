/** A client in a process of its own: beside those that attack it would notice what they cost their own. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Fetched, Noticed } from './requests.ts';

export class Onlooker {
  readonly #child: ChildProcess = fork(
    fileURLToPath(new URL('./onlooker_process.ts', import.meta.url)),
    { execArgv: ['--import', 'tsx'] },
  );

  /** Has it fetch a record until `end` resolves. */
  async notice(fetched: Fetched, end: Promise<unknown>): Promise<Noticed> {
    this.#child.send(fetched);
    await end;
    const told = once(this.#child, 'message');
    this.#child.send('end');
    const [noticed]: Noticed[] = await told;
    if (!noticed) throw new Error('the onlooker said nothing');
    return noticed;
  }

  stop(): void {
    this.#child.kill();
  }
}
