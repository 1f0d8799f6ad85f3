import type { ChildProcess } from 'node:child_process';

/** A connection as Node passes it on. */
interface Connection {
  /** Negative once it is closed here. */
  readonly fd: number;
  close(): void;
}

const isConnection = (sent: unknown): sent is Connection =>
  typeof sent === 'object' &&
  sent !== null &&
  'fd' in sent &&
  typeof sent.fd === 'number' &&
  'close' in sent &&
  typeof sent.close === 'function';

/**
 * Connections on their way to workers. Node accepts a connection for a worker, sends it there, and keeps it open
 * here until the worker says that it has it. Of one that freezes before that, it would be open for ever, with a
 * client that waits for an answer, even once the worker is dead.
 */
export class Handover {
  readonly #underway = new Map<Connection, ChildProcess>();

  /** Has the connections that a worker has not taken by its end closed with it. */
  watch(worker: ChildProcess): void {
    worker.send = new Proxy(worker.send, {
      apply: (send, self, sent: unknown[]) => {
        const [, connection] = sent;
        if (isConnection(connection)) this.#note(connection, worker);
        return Reflect.apply(send, self, sent);
      },
    });
    // By then it has ended, and all is read that it may have said of them.
    worker.once('close', () => this.#end(worker));
  }

  #note(connection: Connection, worker: ChildProcess): void {
    for (const [other] of this.#underway) if (other.fd < 0) this.#underway.delete(other);
    this.#underway.set(connection, worker);
  }

  #end(worker: ChildProcess): void {
    for (const [connection, to] of this.#underway) {
      if (to !== worker) continue;
      this.#underway.delete(connection);
      // What the client has sent is unread, so it gets a reset.
      if (connection.fd >= 0) connection.close();
    }
  }
}
