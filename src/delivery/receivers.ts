/** Which receivers webhooks may have, and the connections to them. */
import { constants } from 'node:crypto';
import { type LookupAddress, lookup as lookUpAnywhere } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { type Agent, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

/** Finds the addresses of a host. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * Connections that are kept for the next delivery: two for each receiver, and not for long. Their
 * number is not bounded here but by the queues: a delivery that waited here for a connection would
 * lose the time of its attempt to others, such as those of another account to the same host.
 */
const agentOptions = { keepAlive: true, maxFreeSockets: 2, timeout: 15_000 } as const;

/** A receiver with TLS 1.2 could ask for one handshake after the other, each of which costs milliseconds. */
const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;

/** Connections are kept to at most this many receivers. */
const maxKept = 100;

/**
 * Asks name servers, as a receiver's host is named for everybody. The system's own look-up also knows this
 * machine's names, and four that hang hold up every file and every password that the process reads.
 */
function resolving(): Resolve {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const [first] = answers;
    if (addresses.length === 0) throw first.status === 'rejected' ? first.reason : noAddress(host);
    return addresses;
  };
}

/** A receiver's host led to an address that is not public. */
export class NotPublic extends Error {
  constructor(host: string) {
    super(`${host} leads to an address that is not public`);
  }
}

/** Of IPv6 only what is given out to be reached from everywhere (2000::/3), with no address of IPv4 in it. */
function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(ipaddr.IPv6.parse('2000::'), 3);
}

const noAddress = (host: string) => new Error(`${host} has no address`);

const notSecure = 'must begin with https://, unless WEBHOOK_ALLOW names its host';

/**
 * Lets deliveries go to public addresses, over https, and to the exceptions that the operator named. It asks
 * when a connection is made, of the very address: whatever a host resolves to, and however an address is
 * written.
 */
export class Receivers {
  readonly #hosts: ReadonlySet<string>;
  readonly #networks: readonly Network[];
  /** Addresses of these networks that were asked for. */
  readonly #found: string[] = [];
  readonly #guarded: { readonly http: Agent; readonly https: Agent };
  readonly #named: { readonly http: Agent; readonly https: Agent };

  /** @param allow addresses, networks, and hosts with a port or without */
  constructor(allow: readonly string[], resolve: Resolve = resolving()) {
    this.#networks = allow.map(networkOf).filter((network) => network !== undefined);
    this.#hosts = new Set(allow.filter((each) => !networkOf(each)));
    const lookup: LookupFunction = (host, { all }, callback) => {
      resolve(host).then(
        (addresses) => {
          const lookups = addresses.map((address) => ({ address, family: isIP(address) }));
          const wrong = this.#wrongWith(host, addresses);
          if (wrong) return callback(wrong, '');
          for (const { address } of lookups) this.#note(address);
          answer(lookups, all, callback);
        },
        (error: unknown) => callback(error instanceof Error ? error : noAddress(host), ''),
      );
    };
    const options = { ...agentOptions, lookup, allowIPAddressList: this.#found };
    this.#guarded = {
      http: new RequestFilteringHttpAgent(options),
      https: new RequestFilteringHttpsAgent({ ...options, secureOptions }),
    };
    const open = { ...agentOptions, lookup: lookUpAnywhere };
    this.#named = { http: new HttpAgent(open), https: new HttpsAgent({ ...open, secureOptions }) };
  }

  /** @returns why nothing may be sent to a URL, as the rest of a sentence; undefined where it may */
  refusal(url: URL): string | undefined {
    if (this.#isNamed(url)) return undefined;
    const address = addressIn(url);
    const isAllowed = address !== undefined && this.#isAllowed(address);
    if (url.protocol !== 'https:' && !isAllowed) return notSecure;
    const mayBe = address === undefined || isPublic(address) || isAllowed;
    return mayBe ? undefined : 'must not lead to an address that is not public';
  }

  /**
   * @returns what connects to a URL, and does so to no address that is not public
   * @throws {Error} for a URL to which nothing may be sent
   */
  agent(url: URL): Agent {
    const refusal = this.refusal(url);
    if (refusal !== undefined) throw new Error(`The URL ${refusal}`);
    const { http, https } = this.#isNamed(url) ? this.#named : this.#guarded;
    this.#note(addressIn(url) ?? '');
    return url.protocol === 'https:' ? https : http;
  }

  /** Whether a connection may be kept for the next delivery; as many as these would be too many files. */
  keeps({ freeSockets }: Agent): boolean {
    return Object.keys(freeSockets).length < maxKept;
  }

  close(): void {
    for (const { http, https } of [this.#guarded, this.#named]) {
      http.destroy();
      https.destroy();
    }
  }

  /** All of the addresses count: a connection tries one after the other. */
  #wrongWith(host: string, addresses: readonly string[]): Error | undefined {
    if (addresses.length === 0) return noAddress(host);
    const isFit = addresses.every((each) => isPublic(each) || this.#isAllowed(each));
    return isFit ? undefined : new NotPublic(host);
  }

  #isNamed({ hostname, host, port, protocol }: URL): boolean {
    const usual = port || (protocol === 'https:' ? '443' : '80');
    return [hostname, host, `${hostname}:${usual}`].some((each) => this.#hosts.has(each));
  }

  #isAllowed(address: string): boolean {
    const parsed = ipaddr.parse(address);
    return this.#networks.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
    );
  }

  /** The agents take addresses one by one, because they cannot compare those of two versions of IP. */
  #note(address: string): void {
    if (isIP(address) === 0 || this.#found.includes(address) || !this.#isAllowed(address)) return;
    this.#found.push(address);
  }
}

type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

function networkOf(text: string): Network | undefined {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (isIP(text) === 0) return undefined;
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** The address that a URL names instead of a host. */
function addressIn({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? undefined : host;
}

function answer(
  addresses: LookupAddress[],
  all: boolean | undefined,
  callback: Parameters<LookupFunction>[2],
): void {
  const [first] = addresses;
  if (all) callback(null, addresses);
  else callback(null, first?.address ?? '', first?.family);
}
