/** Answers that come anew when they have become others: subscriptions of `schema.graphql`. */
import { signal } from '@preact/signals';
import { createClient } from 'graphql-sse';
import type { TypedDocumentString } from '../../generated/console.ts';
import type { VariablesOf } from './ask.ts';
import { takePlace } from './live_places.ts';
import { isInterrupted, session } from './session.ts';

/** The service sends something every 15 s: after this many milliseconds of silence the stream is dead. */
const silentMs = 40_000;

/** How long nobody looks at a page until it stops watching, in milliseconds. */
const hiddenMs = 30_000;

/** How long to leave the service alone that has refused, in milliseconds. */
const refusedMs = 30_000;

/** How long to wait for a place while other tabs have them all, in milliseconds. */
const fullMs = 5_000;

/** How long to wait before an attempt to get through again, in milliseconds: not all at the same moment. */
const pauseMs = (attempts: number): number =>
  Math.min(30_000, 500 * 2 ** attempts) * (0.75 + Math.random() / 2);

const client = createClient({
  url: '/graphql/stream',
  retryAttempts: Number.POSITIVE_INFINITY,
  retry: (attempts) => new Promise((resolve) => setTimeout(resolve, pauseMs(attempts))),
  fetchFn: async (path: string, init: RequestInit) => heard(await fetch(path, init)),
});

/** An answer that fails when nothing comes any more: a connection can be gone without a word. */
function heard(response: Response): Response {
  if (response.status === 401) isInterrupted.value = true;
  if (!response.body) return response;
  let timer = 0;
  const wait = (controller: TransformStreamDefaultController) => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.error(new TypeError('silence')), silentMs);
  };
  const hearing = new TransformStream({
    start: wait,
    transform: (bytes, controller) => {
      wait(controller);
      controller.enqueue(bytes);
    },
    flush: () => clearTimeout(timer),
  });
  return new Response(response.body.pipeThrough(hearing), response);
}

/** Whether anybody looks at the page: what nobody sees need not be brought. */
export const isSeen = signal(!document.hidden);
let hiding = 0;
document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding);
  if (!document.hidden) isSeen.value = true;
  else
    hiding = setTimeout(() => {
      isSeen.value = false;
    }, hiddenMs);
});

/** Whether the browser has a network, as far as it knows. */
export const isOnline = signal(navigator.onLine);
for (const change of ['online', 'offline']) {
  addEventListener(change, () => {
    isOnline.value = navigator.onLine;
  });
}

interface LiveListener<Data> {
  readonly next: (data: Data) => void;
  /** To be called when what came last may be out of date, until the next comes. */
  readonly lost: () => void;
}

/**
 * Watches the account of the person who is signed in, through losses of the connection.
 * @returns how to stop
 */
export function watch<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  given: VariablesOf<Variables>,
  listener: LiveListener<Data>,
): () => void {
  const variables = { account_id: session.value?.account_id, ...given };
  let isOver = false;
  let timer = 0;
  let stop = () => {};
  let giveBack: (() => void) | undefined;
  const again = () => {
    giveBack?.();
    if (isOver) return;
    listener.lost();
    timer = setTimeout(start, refusedMs);
  };
  const start = async () => {
    giveBack = await takePlace();
    if (isOver) return giveBack?.();
    if (!giveBack) {
      listener.lost();
      timer = setTimeout(start, fullMs);
      return;
    }
    stop = client.subscribe<Data>(
      { query: document.toString(), variables },
      {
        next: ({ data, errors }) => {
          if (isOver || errors || !data) return;
          listener.next(data);
        },
        error: again,
        complete: again,
      },
      { connecting: (isAgain) => isAgain && listener.lost() },
    );
  };
  void start();
  return () => {
    isOver = true;
    clearTimeout(timer);
    stop();
    giveBack?.();
  };
}
