/** `crm import` as an operator runs it on the machine, and as anybody does from elsewhere. */
import { readFile } from 'node:fs/promises';
import type { Outcome } from './command.ts';
import { readCsv } from './csv.ts';
import { given } from './environment.ts';
import { fetchFrom } from './fetch.ts';
import { type Service, secret } from './service.ts';
import { runHere } from './shared.ts';
import type { World } from './world.ts';

/** The environment of the machine itself. */
export const environmentHere = ({ database }: Pick<Service, 'database'>) => ({
  DATABASE_URL: database.url,
  JWT_SECRET: secret,
});

/** That of another one. */
export const environmentThere = ({ admin }: World) => ({
  DATABASE_URL: '',
  CRM_TOKEN: admin.token,
  NODE_EXTRA_CA_CERTS: given('CRM_TEST_CERT'),
});

export const importArgs = (
  { accountId }: World,
  records: string,
  file: string,
  more: readonly string[] = [],
): readonly string[] => ['import', records, file, '--account', String(accountId), ...more];

/** Imports over the network without a process, which alone could be told of a certificate to trust. */
export const importOverNetwork = (
  service: Pick<Service, 'url'>,
  account: World,
  args: readonly string[],
  fetch = fetchFrom(service),
): Promise<Outcome> =>
  runHere([...args, '--url', service.url], environmentThere(account), { fetch });

/** Number and reasons of each row that a report has. */
export async function refusalsIn(report: string): Promise<readonly (readonly string[])[]> {
  const [, ...rows] = readCsv(await readFile(report, 'utf8'));
  return rows.map((cells) => cells.slice(-2));
}
