/** The least strength of what keeps strangers out. */

/** Bytes of a secret that signs tokens. */
export const minSecretBytes = 32;

/** What the hash of a password costs in production: N of scrypt. */
export const minPasswordCost = 32_768;
