import { stat } from 'node:fs/promises';
import { readOrigin } from '../../../config/origin.ts';
import { trimEnd } from '../../../lib/trim.ts';
import { CommandError } from '../../command_error.ts';
import { apiOf } from './api.ts';
import { folderOf } from './folder.ts';
import type { Source } from './source.ts';

/** A source, and what files about it are called. */
export interface NamedSource {
  readonly source: Source;
  readonly name: string;
}

const accountPath = /^\/(?:.+\/)?accounts\/(\d+)\/?$/;

/**
 * @param place a folder, or the URL of an account
 * @param token for a URL
 * @throws {CommandError} when it is neither
 */
export async function openSource(place: string, token: string | undefined): Promise<NamedSource> {
  if (!/^https?:/i.test(place)) {
    const folder = trimEnd(place, '\\/');
    const stats = await stat(folder).catch(() => undefined);
    if (!stats?.isDirectory()) throw new CommandError(`There is no folder ${folder}`);
    return { source: await folderOf(folder), name: folder };
  }
  const url = new URL(place);
  const [, account] = accountPath.exec(url.pathname) ?? [];
  if (readOrigin(url.origin) === undefined || account === undefined) {
    throw new CommandError(
      `${place} is no account: write it as in https://crm.example.com/api/v1/accounts/7`,
    );
  }
  if (!token) throw new CommandError('Set WOOFED_TOKEN to a token of an admin of that account');
  const base = new URL(`${url.pathname.replace(/\/$/, '')}/`, url.origin);
  return { source: apiOf(base, token), name: `${url.hostname}-${account}` };
}
