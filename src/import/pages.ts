import type { Fields } from './draft.ts';

/** A page of a search, as the service answers. */
export interface Page {
  readonly data: readonly Fields[];
  readonly pagination: { readonly next: number | null };
}

/** The records of all pages. */
export async function everyPage(ask: (page: number) => Promise<Page>): Promise<readonly Fields[]> {
  const records: Fields[] = [];
  let page: number | null = 1;
  while (page !== null) {
    const { data, pagination }: Page = await ask(page);
    records.push(...data);
    page = pagination.next;
  }
  return records;
}
