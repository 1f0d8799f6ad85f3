/** What the service stores so that nobody but itself can read it, or recognise it. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { Fault } from '../errors/errors.ts';
import { type Keys, ownKid } from './keys.ts';

const cipher = 'aes-256-gcm';
const bytes = { key: 32, nonce: 12, tag: 16 } as const;

/** The keys that are derived from one secret. */
interface Derived {
  readonly seals: KeyObject;
  readonly recognises: KeyObject;
}

/**
 * Encrypts texts with keys that are derived from the secret that this process has as the newest, and decrypts
 * those of any that it has. Secrets are named by their fingerprints, as tokens name them (`kid`).
 */
export class Encryption {
  /** The secret with which texts are encrypted. */
  readonly kid: string;
  readonly #keys: ReadonlyMap<string, Derived>;

  constructor(keys: Keys) {
    this.kid = ownKid(keys);
    this.#keys = new Map([...keys].map(([kid, secret]) => [kid, derived(secret)]));
  }

  /**
   * Tells texts apart, and reveals nothing else of them to anyone without the secret: 43 characters.
   * @throws {Fault} UNAVAILABLE when this process does not have the secret
   */
  fingerprint(kid: string, ...parts: readonly (string | Uint8Array)[]): string {
    const hmac = createHmac('sha256', this.#of(kid).recognises);
    for (const part of parts) hmac.update(`${part.length} `).update(part);
    return hmac.digest('base64url');
  }

  /** @param place where it will be stored: elsewhere nobody can open it */
  encrypt(text: string, place: string): string {
    const nonce = randomBytes(bytes.nonce);
    const sealing = createCipheriv(cipher, this.#of(this.kid).seals, nonce);
    sealing.setAAD(Buffer.from(place));
    const sealed = [nonce, sealing.update(text, 'utf8'), sealing.final()];
    return Buffer.concat([...sealed, sealing.getAuthTag()]).toString('base64url');
  }

  /**
   * @throws {Fault} UNAVAILABLE when this process does not have the secret
   * @throws when it was sealed for another place, or is not what was sealed
   */
  decrypt(kid: string, sealed: string, place: string): string {
    const all = Buffer.from(sealed, 'base64url');
    const opening = createDecipheriv(cipher, this.#of(kid).seals, all.subarray(0, bytes.nonce));
    opening.setAAD(Buffer.from(place));
    opening.setAuthTag(all.subarray(-bytes.tag));
    const text = opening.update(all.subarray(bytes.nonce, -bytes.tag));
    return Buffer.concat([text, opening.final()]).toString('utf8');
  }

  #of(kid: string): Derived {
    const found = this.#keys.get(kid);
    // While secrets change it may be that of another process already, or of before.
    if (!found) throw new Fault('UNAVAILABLE', ['What is stored was sealed with another secret']);
    return found;
  }
}

/** Keys of their own, so that what they make cannot be taken for the signature of a token. */
function derived(secret: KeyObject): Derived {
  const of = (what: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', what, bytes.key)));
  return { seals: of('sealed texts'), recognises: of('fingerprints of texts') };
}
