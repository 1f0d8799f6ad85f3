/** Which of several servers a connection goes to, which `pg` cannot choose. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import pg from 'pg';
import { type Access, parseDatabaseUrl } from '../../config/database_url.ts';

/** The pause before a server that was not as wanted is asked again, in milliseconds. */
const pauseMs = 100;

/** What `SHOW transaction_read_only` says of a server, as libpq goes by, and `in_hot_standby` as well. */
const readOnly: Readonly<Record<Access, string>> = { 'read-write': 'off', 'read-only': 'on' };

/**
 * Finds the server among several that takes writes, or one that does not. Which that is changes when
 * one fails, so it is asked anew for each connection, of all at once: one that does not even refuse
 * holds nobody up.
 */
export class Servers {
  readonly #urls: readonly string[];
  readonly #access: Access;
  readonly #timeoutMs: number;
  #finding: Promise<string> | undefined;

  /**
   * @param timeoutMs how long to go on asking for a server that takes writes, as during an election: there
   *   will be one. For want of a standby, there is always the primary
   */
  constructor(urls: readonly string[], access: Access, timeoutMs: number) {
    this.#urls = urls;
    this.#access = access;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * The URL of the first server to answer that it is as wanted. Calls made meanwhile share the answer.
   * @throws an error that means UNAVAILABLE when there is none in time; it says what each answered
   */
  find(): Promise<string> {
    this.#finding ??= this.#ask().finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  async #ask(): Promise<string> {
    const until = Date.now() + this.#timeoutMs;
    let isFound = false;
    const said = new Map<string, string>();
    const watch = async (url: string): Promise<string> => {
      for (;;) {
        const reason = await obstacle(url, this.#access, until - Date.now());
        if (reason === undefined) return url;
        const { host } = new URL(url);
        const isOver = isFound || Date.now() + pauseMs >= until;
        // A last look that found no time left tells less than the one before.
        if (!isOver || !said.has(host)) said.set(host, reason);
        if (isOver || this.#access === 'read-only') throw new Error(reason);
        await sleep(pauseMs);
      }
    };
    try {
      return await Promise.any(this.#urls.map(watch));
    } catch {
      const answers = [...said].map(([host, reason]) => `${host}: ${reason}`).join('; ');
      const role = this.#access === 'read-write' ? 'takes writes' : 'is a standby';
      throw Object.assign(new Error(`No server ${role} (${answers})`), { code: '08001' });
    } finally {
      isFound = true;
    }
  }
}

/** Why a server is not as wanted; undefined when it is. */
async function obstacle(url: string, access: Access, ms: number): Promise<string | undefined> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: Math.max(ms, 1),
    query_timeout: Math.max(ms, 1),
    application_name: 'crm',
  });
  // What breaks is told by what was asked of it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ transaction_read_only: string }>(
      'SHOW transaction_read_only',
    );
    if (rows[0]?.transaction_read_only === readOnly[access]) return undefined;
    return access === 'read-write' ? 'is read-only' : 'takes writes';
  } catch (error) {
    return isNativeError(error) ? error.message || error.name : String(error);
  } finally {
    // A server that is frozen would not let go.
    client.connection.stream.destroy();
  }
}

/** How a pool gets to the database at a URL. */
type Route = Pick<pg.PoolConfig, 'connectionString' | 'Client'>;

/**
 * Where the connections of a pool go: to whichever server is as wanted when one is opened. They are cut
 * as soon as it is known that theirs is so no more: it was promoted, or another has taken its place. A
 * URL of one server that does not say `target_session_attrs` is where writes go, whatever it is.
 * @param access what the connections are for
 * @param timeoutMs within which a connection must be open
 */
export function routeTo(url: string, access: Access, timeoutMs: number): Route {
  const parsed = parseDatabaseUrl(url);
  const isOne = parsed?.servers.length === 1 && parsed.access === undefined;
  if (!parsed || (isOne && access === 'read-write')) return { connectionString: url };
  const [first = url] = parsed.servers;
  // A third of the time is left for the connection itself.
  const servers = new Servers(parsed.servers, access, (timeoutMs * 2) / 3);
  const open = new Map<pg.Client, string>();
  const cut = (isLost: (at: string) => boolean) => {
    for (const [client, at] of open) if (isLost(at)) client.connection.stream.destroy();
  };
  const watch = (client: pg.Client, at: string) => {
    if (access === 'read-write') cut((other) => other !== at);
    open.set(client, at);
    client.once('end', () => open.delete(client));
    client.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName !== 'in_hot_standby' || parameterValue === readOnly[access]) return;
      cut((other) => other === at);
    });
  };
  class Client extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error | null, client?: pg.Client) => void): void;
    override connect(
      callback?: (error: Error | null, client?: pg.Client) => void,
    ): Promise<pg.Client> | undefined {
      const connected = servers.find().then((at) => {
        const { host, port } = new pg.Client({ connectionString: at });
        Object.assign(this, { host, port });
        watch(this, at);
        return super.connect();
      });
      if (!callback) return connected;
      connected.then((client) => callback(null, client), callback);
      return undefined;
    }
  }
  return { connectionString: first, Client };
}

/**
 * The URL of the one server that takes writes now, for what does not outlive it, such as migrations.
 * @param timeoutMs how long to look for it
 */
export async function primaryUrl(url: string, timeoutMs = 10_000): Promise<string> {
  const parsed = parseDatabaseUrl(url);
  if (!parsed || parsed.servers.length === 1) return url;
  return new Servers(parsed.servers, 'read-write', timeoutMs).find();
}
