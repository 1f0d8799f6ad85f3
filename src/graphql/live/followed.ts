/** The subscription `changes`: each change of the feed, as its document selects it. */
import type { Context } from '../../context.ts';
import type { Change } from '../../resources/changes/page.ts';
import { streamChanges } from '../../resources/changes/stream.ts';
import { type Answer, complete } from './answer.ts';

/** The context of a run that shows a change. */
export interface Following extends Context {
  /** @param given the arguments of the field */
  readonly follow: (given: Readonly<Record<string, unknown>>) => Change | Promise<Change>;
}

/** Stands for a change while it is found out whether the document may be followed. */
const none: Change = {
  cursor: '',
  at: new Date(0).toISOString(),
  action: 'update',
  record_type: '',
  record_id: 0,
  before: null,
  after: null,
  user_id: null,
  token_id: null,
  request_id: '',
};

type Pages = ReturnType<typeof streamChanges>;

/**
 * Follows the feed from where a document says.
 * @param run runs the document; the first run shows no change, but is refused as any other would be
 * @returns its events, or why it was not run at all
 */
export async function followed(
  ctx: Context,
  run: (context: Following) => Promise<Answer>,
): Promise<{ readonly events: AsyncGenerator<string> } | { readonly refused: Answer }> {
  let pages: Pages | undefined;
  let first: readonly Change[] = [];
  const opening = await run({
    ...ctx,
    follow: async ({ account_id, ...given }) => {
      pages = streamChanges(ctx, account_id, given);
      first = (await pages.next()).value?.data ?? [];
      return none;
    },
  });
  if (pages && opening.status === 200 && !opening.failure) {
    return { events: events(first, pages, (change) => run({ ...ctx, follow: () => change })) };
  }
  await pages?.return(undefined);
  if (opening.status !== 200) return { refused: opening };
  return { events: once(`${opening.event}${complete}`) };
}

async function* events(
  first: readonly Change[],
  pages: Pages,
  run: (change: Change) => Promise<Answer>,
): AsyncGenerator<string> {
  const textOf = async (page: readonly Change[]) => {
    let text = '';
    for (const change of page) text += (await run(change)).event;
    return text;
  };
  try {
    yield await textOf(first);
    for await (const { data } of pages) yield await textOf(data);
  } finally {
    await pages.return(undefined);
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}
