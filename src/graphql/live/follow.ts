/** The subscription `changes`: each change of the feed, as its document selects it. */
import type { Context } from '../../context/context.ts';
import type { Change } from '../../resources/changes/page.ts';
import { streamChanges } from '../../resources/changes/stream.ts';
import { type Answer, complete, isRefused } from './answer.ts';
import type { FollowContext } from './follow_context.ts';

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
  restored: null,
};

type Pages = ReturnType<typeof streamChanges>;

/** What pages show to those whose documents and rights are the same: each is run once for all of them. */
const knownPages = new WeakMap<readonly Change[], Map<string, Promise<Buffer>>>();

/**
 * Follows the feed from where a document says.
 * @param key the same for those to whom the document shows the same
 * @param run runs the document; the first run shows no change, but is refused as any other would be
 * @returns its events, or why it was not run at all
 */
export async function followChanges(
  ctx: Context,
  key: string,
  run: (context: FollowContext) => Promise<Answer>,
): Promise<{ readonly events: AsyncGenerator<Buffer> } | { readonly refused: Answer }> {
  let pages: Pages | undefined;
  let first: readonly Change[] = [];
  const opening = await run({
    ...ctx,
    follow: async ({ account_id, ...args }) => {
      pages = streamChanges(ctx, account_id, args);
      first = (await pages.next()).value?.data ?? [];
      return none;
    },
  });
  if (pages && opening.status === 200 && !opening.failure) {
    const show = (change: Change) => run({ ...ctx, follow: () => change });
    return { events: events(first, pages, (page) => pageText(page, key, show)) };
  }
  await pages?.return(undefined);
  if (isRefused(opening)) return { refused: opening };
  return { events: once(Buffer.concat([opening.event, complete])) };
}

function pageText(
  page: readonly Change[],
  key: string,
  run: (change: Change) => Promise<Answer>,
): Promise<Buffer> {
  const texts = knownPages.get(page) ?? new Map<string, Promise<Buffer>>();
  knownPages.set(page, texts);
  const text = texts.get(key) ?? textOf(page, run);
  texts.set(key, text);
  return text;
}

async function textOf(
  page: readonly Change[],
  run: (change: Change) => Promise<Answer>,
): Promise<Buffer> {
  const events: Buffer[] = [];
  for (const change of page) events.push((await run(change)).event);
  return Buffer.concat(events);
}

async function* events(
  first: readonly Change[],
  pages: Pages,
  show: (page: readonly Change[]) => Promise<Buffer>,
): AsyncGenerator<Buffer> {
  try {
    yield await show(first);
    for await (const { data } of pages) yield await show(data);
  } finally {
    await pages.return(undefined);
  }
}

async function* once(text: Buffer): AsyncGenerator<Buffer> {
  yield text;
}
