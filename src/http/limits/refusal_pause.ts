import type { Socket } from 'node:net';

/**
 * How long a refusal is held back, in milliseconds, give or take a fifth. Otherwise refusing clients that
 * hammer would take up the processor: with the pause each of them can ask only a few times a second. The more
 * there are the longer they wait, so that even of many thousands only about one thousand ask again each
 * second; and some wait longer than others, so that clients that came together do not come back together.
 */
const pause = { min: 250, max: 6000, each: 1 } as const;

/** Holds refusals back, one for each connection. */
export class RefusalPause {
  readonly #waiting = new WeakSet<Socket>();
  #held = 0;

  /**
   * Refuses a request after the pause.
   * @returns false if one of the connection is held back already: its client does not wait for answers, and could have
   * any number held
   */
  hold(socket: Socket, refuse: () => void): boolean {
    if (this.#waiting.has(socket)) return false;
    this.#waiting.add(socket);
    this.#held += 1;
    const usual = Math.min(pause.max, pause.min + pause.each * this.#held);
    setTimeout(
      () => {
        this.#held -= 1;
        this.#waiting.delete(socket);
        refuse();
      },
      usual * (0.8 + 0.4 * Math.random()),
    );
    return true;
  }
}
