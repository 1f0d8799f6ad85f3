/**
 * Numbers of the advisory locks that processes hold against each other: any, as long as each lock has its own
 * and every version of this service uses the same ones.
 */
export const lockKeys = {
  /** Held while the database is migrated, or must not be. */
  migrations: 7_228_452_101,
  /** Held while partitions of the audit trail are made or dropped. */
  auditMonths: 7_228_452_102,
} as const;
