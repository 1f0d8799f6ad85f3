/** Parameterised SQL, composed as Prisma composes it: values never enter the text. */
import { Prisma } from '../generated/prisma/client.ts';

export const { sql, join, raw, empty, Sql } = Prisma;
export type Sql = Prisma.Sql;

/** A statement as it is sent: values are `$1` and so on in its text. */
export type Statement = Pick<Sql, 'text' | 'values'>;

/** An identifier that the code chose (never a client): quoted all the same. */
export const name = (identifier: string): Sql => raw(`"${identifier.replaceAll('"', '""')}"`);
