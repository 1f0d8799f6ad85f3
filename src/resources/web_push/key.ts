/** The key by which push services know this service (VAPID, RFC 8292). */
import webPush from 'web-push';
import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import type { Queryable } from '../../db/database.ts';
import { sql } from '../../db/sql/sql.ts';

export interface PushKey {
  readonly public_key: string;
  readonly private_key: string;
}

/** The pair of this database, which the first who asks makes: browsers are subscribed to it for good. */
export async function pushKey(db: Queryable): Promise<PushKey> {
  const find = () => db.query<PushKey>(sql`SELECT public_key, private_key FROM push_keys`);
  const [known] = await find();
  if (known) return known;
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  await db.query(
    sql`INSERT INTO push_keys (public_key, private_key) VALUES (${publicKey}, ${privateKey})
        ON CONFLICT DO NOTHING`,
  );
  const [pair] = await find();
  if (!pair) throw new Error('there is no key for push services');
  return pair;
}

/**
 * @returns what a browser subscribes with (`applicationServerKey`), in base64url
 * @throws {Fault} NOT_FOUND for another account
 */
export async function publicPushKey(ctx: Context, account: unknown): Promise<string> {
  authorize(ctx.viewer, account, 'me.read');
  return (await pushKey(ctx.db)).public_key;
}
