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
import { StringDecoder } from 'node:string_decoder';
import { Fault } from '../errors/errors.ts';
import { type Keys, ownKid } from './keys.ts';

const cipher = 'aes-256-gcm';
const bytes = { key: 32, nonce: 12, tag: 16 } as const;

/** How sealed bytes are written: three as four characters, so that texts of multiples of three can be joined. */
const encoding = 'base64url';
const characters = (count: number): number => Math.ceil((count * 4) / 3);

/**
 * A long text is sealed and opened in slices: memory of a megabyte comes anew from the system each time, and
 * takes longer to get than to fill.
 */
const slice = { bytes: 48 * 1024 } as const;

/** The keys that are derived from one secret. */
interface DerivedKeys {
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
  readonly #keys: ReadonlyMap<string, DerivedKeys>;

  constructor(keys: Keys) {
    this.kid = ownKid(keys);
    this.#keys = new Map([...keys].map(([kid, secret]) => [kid, derived(secret)]));
  }

  /** Whether this process has the secret of that name. */
  knows(kid: string): boolean {
    return this.#keys.has(kid);
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
    const plain = Buffer.from(text);
    const written = [nonce.toString(encoding)];
    let at = 0;
    for (; plain.length - at > slice.bytes; at += slice.bytes) {
      written.push(sealing.update(plain.subarray(at, at + slice.bytes)).toString(encoding));
    }
    const rest = [sealing.update(plain.subarray(at)), sealing.final(), sealing.getAuthTag()];
    return [...written, Buffer.concat(rest).toString(encoding)].join('');
  }

  /**
   * @throws {Fault} UNAVAILABLE when this process does not have the secret
   * @throws when it was sealed for another place, or is not what was sealed
   */
  decrypt(kid: string, sealed: string, place: string): string {
    let at = characters(bytes.nonce);
    const nonce = Buffer.from(sealed.slice(0, at), encoding);
    const opening = createDecipheriv(cipher, this.#of(kid).seals, nonce, {
      authTagLength: bytes.tag,
    });
    opening.setAAD(Buffer.from(place));
    const decoder = new StringDecoder('utf8');
    const texts: string[] = [];
    for (; sealed.length - at > characters(slice.bytes + bytes.tag); ) {
      const end = at + characters(slice.bytes);
      texts.push(decoder.write(opening.update(Buffer.from(sealed.slice(at, end), encoding))));
      at = end;
    }
    const rest = Buffer.from(sealed.slice(at), encoding);
    opening.setAuthTag(rest.subarray(-bytes.tag));
    texts.push(decoder.write(opening.update(rest.subarray(0, -bytes.tag))));
    opening.final();
    return texts.join('');
  }

  #of(kid: string): DerivedKeys {
    const key = this.#keys.get(kid);
    // While secrets change it may be that of another process already, or of before.
    if (!key) throw new Fault('UNAVAILABLE', ['What is stored was sealed with another secret']);
    return key;
  }
}

/** Keys of their own, so that what they make cannot be taken for the signature of a token. */
function derived(secret: KeyObject): DerivedKeys {
  const of = (what: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', what, bytes.key)));
  return { seals: of('sealed texts'), recognises: of('fingerprints of texts') };
}
