import { defineConfig } from 'prisma-cli/config';

/** For Prisma's own command line: `npx prisma migrate deploy --config prisma/prisma.config.ts`. */
export default defineConfig({
  schema: 'schema.prisma',
  migrations: { path: 'migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
});
