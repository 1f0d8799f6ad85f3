/** Characters that a password has. */
export const passwordLength = { least: 6, most: 128 } as const;
