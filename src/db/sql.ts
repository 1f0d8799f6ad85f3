/** Parameterised SQL, composed as Prisma composes it: values never enter the text. */
import { Prisma } from '../generated/prisma/client.ts';

export const { sql, join, raw, empty, Sql } = Prisma;
export type Sql = Prisma.Sql;

/** An identifier that the code chose (never a client): quoted all the same. */
export const name = (identifier: string): Sql => raw(`"${identifier.replaceAll('"', '""')}"`);
