/** Settings on the server's side that a connection is opened with. */
type Settings = Readonly<Record<string, string | number>>;

/**
 * A process whose machine or network is gone cannot say so: half a minute after its last sign of life its
 * connections, transactions and locks are given up. The system's own limit is two hours.
 */
export const tcpKeepAlive = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 4,
} as const satisfies Settings;

/** Settings as a connection is given them. */
export const asOptions = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
