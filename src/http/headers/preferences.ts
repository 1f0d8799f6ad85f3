/** What a client prefers of how its request is handled (RFC 7240). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

type WithPrefer = Pick<FastifyRequest, 'headers'>;

/**
 * The value of a preference in small letters, '' for one without; of one that is given twice the first
 * counts.
 */
function preferred(
  { headers: { prefer } }: WithPrefer,
  preferenceName: string,
): string | undefined {
  if (prefer === undefined) return undefined;
  for (const preference of [prefer].flat().join(',').split(',')) {
    // What follows a semicolon are parameters, which say nothing to us.
    const [stated = ''] = preference.split(';');
    const [name = '', ...values] = stated.split('=');
    if (name.trim().toLowerCase() === preferenceName) return values.join('=').trim().toLowerCase();
  }
  return undefined;
}

/**
 * Whether a request wants to be refused for what would otherwise be ignored: `Prefer:
 * handling=strict`.
 */
export function isStrict(request: WithPrefer): boolean {
  const handling = preferred(request, 'handling');
  return handling === 'strict' || handling === '"strict"';
}

/** Whether a client asks what a write would do: `Prefer: dry-run`. */
export const wantsDryRun = (request: WithPrefer): boolean =>
  preferred(request, 'dry-run') !== undefined;

/** Says in a header, once, that a preference was applied. */
export function notePreference(reply: FastifyReply, applied: string): void {
  const others = reply.getHeader('preference-applied');
  const all = new Set(others === undefined ? [] : String(others).split(', '));
  reply.header('preference-applied', [...all.add(applied)].join(', '));
}

/** Whether a client asks how long its request took: `Prefer: timing`. */
export const wantsTiming = (request: WithPrefer): boolean =>
  preferred(request, 'timing') !== undefined;

/** How many reads of a request each kind of server has answered. */
interface Reads {
  primary: number;
  replica: number;
}

const reads = new WeakMap<FastifyRequest, Reads>();

/** Whether a request lets its reads come from a replica: `Prefer: replica`. */
export const allowsReplica = (request: FastifyRequest): boolean =>
  preferred(request, 'replica') === '';

/** Counts a read of a request. */
export function countRead(request: FastifyRequest, server: keyof Reads): void {
  const counted = reads.get(request) ?? { primary: 0, replica: 0 };
  counted[server] += 1;
  reads.set(request, counted);
}

/** Says in a header that the preference was applied, where a request read from replicas only. */
export function tellReplica(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply) => {
    const { primary, replica } = reads.get(request) ?? { primary: 0, replica: 0 };
    if (replica === 0 || primary > 0) return;
    notePreference(reply, 'replica');
  });
}
