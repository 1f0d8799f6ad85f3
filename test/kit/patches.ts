import { expect } from '@jest/globals';
import type { Attributes } from './records.ts';
import type { Rest } from './rest.ts';

interface Patched {
  readonly custom_attributes: Attributes & { readonly shared?: Attributes };
}

/**
 * Two integrations change the same record at the same time, each its own keys, beneath a common one too,
 * and each looks at every answer for what it wrote last.
 * @param path of the record, which has no attributes yet
 * @param changes of each of them
 */
export async function interleavedPatches(rest: Rest, path: string, changes: number): Promise<void> {
  const integration = async (name: string) => {
    for (let n = 1; n <= changes; n++) {
      const custom_attributes = {
        [`${name}_${n}`]: n,
        [`${name}_${n - 1}`]: null,
        shared: { [name]: n, [`${name}_old`]: null },
      };
      const headers = { 'content-type': 'application/merge-patch+json' };
      const answer = await rest.send<Patched>('PATCH', path, { custom_attributes }, headers);
      expect(answer).toAnswer(200);
      const { shared, ...own } = answer.body.custom_attributes;
      const names = Object.keys(own).filter((key) => key.startsWith(name));
      expect([names, shared?.[name]]).toEqual([[`${name}_${n}`], n]);
    }
  };
  await Promise.all([integration('billing'), integration('support')]);
  const { body } = await rest.get<Patched>(path);
  expect(body.custom_attributes).toEqual({
    [`billing_${changes}`]: changes,
    [`support_${changes}`]: changes,
    shared: { billing: changes, support: changes },
  });
}
