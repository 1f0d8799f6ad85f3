import { type GraphQLSchema, isNonNullType } from 'graphql';
import { everything } from '../../auth/scopes.ts';
import type { Context } from '../../context/context.ts';
import { eventLoopQueue } from '../../lib/event_loop_queue.ts';
import { limits } from './limits.ts';
import { type RootFetch, recordsIn, tooManyRecords } from './records.ts';

/** How many root fields of one request run at once, each with a connection; of a large answer one. */
const atOnce = 4;

/** The context of a request; with bounds when its work has to be limited while it runs. */
export interface BoundedContext extends Context {
  readonly bounds?: Bounds;
}

/** What is to be known of a request. */
interface Requester {
  readonly viewer: Pick<Context['viewer'], 'accountId'>;
  readonly budget: Pick<Context['budget'], 'isLarge'>;
}

/** Limits that the root fields of one request share. */
export class Bounds {
  readonly #asking: Requester;
  readonly #isOpen: boolean;
  readonly #readsMuch: boolean;
  readonly #waiting: (() => void)[] = [];
  readonly #begun: Promise<unknown>[] = [];
  #running = 0;
  #records = 0;
  #isExceeded = false;

  /**
   * @param isOpen whether the records have to be counted, because the document does not limit them
   * @param readsMuch whether reading the variables takes so long that other requests get a turn
   */
  constructor(asking: Requester, isOpen: boolean, readsMuch: boolean) {
    this.#asking = asking;
    this.#isOpen = isOpen;
    this.#readsMuch = readsMuch;
  }

  /** Waits until all work has ended: what is left running would count towards the limits of no request. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#begun);
  }

  /**
   * Runs a root field once few enough others of the request are running. One that fails is null, and the
   * others are answered all the same.
   * @param work notes what it fetches in `fetched`, when records are counted
   * @throws what the work throws; BAD_USER_INPUT when together they have resolved too many records,
   *   after which none begins
   */
  resolve<T>(work: (fetched?: RootFetch[]) => T | Promise<T>): Promise<T> {
    const resolving = this.#resolve(work);
    this.#begun.push(resolving);
    return resolving;
  }

  async #resolve<T>(work: (fetched?: RootFetch[]) => T | Promise<T>): Promise<T> {
    const { budget, viewer } = this.#asking;
    if (this.#running >= atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      if (this.#readsMuch || budget.isLarge) await eventLoopQueue.waitForTurn(viewer.accountId);
      if (this.#isExceeded) throw tooManyRecords();
      const fetched: RootFetch[] | undefined = this.#isOpen ? [] : undefined;
      const value = await work(fetched);
      if (fetched) this.#records += await recordsIn(value, fetched);
      this.#isExceeded = this.#records > limits.records;
      if (this.#isExceeded) throw tooManyRecords();
      return value;
    } finally {
      this.#running -= 1;
      const max = budget.isLarge ? 1 : atOnce;
      for (; this.#running < max && this.#waiting.length > 0; this.#running += 1) {
        this.#waiting.shift()?.();
      }
    }
  }
}

/**
 * Makes every root field respect the bounds of its request, when it has some, and tells what reads its
 * selection whose scopes limit it, when something does.
 */
export function boundWork(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve } = field;
      if (!resolve) throw new Error(`${field.name} has no resolver`);
      if (isNonNullType(field.type))
        throw new Error(`${field.name} takes the others' answers along`);
      field.resolve = (root, args, context: BoundedContext, info) => {
        const { bounds, viewer } = context;
        const seen = viewer.scopes === everything ? info : Object.assign(info, { viewer });
        return bounds
          ? bounds.resolve((fetched) => {
              const counted = fetched ? Object.assign(seen, { fetched }) : seen;
              return resolve(root, args, context, counted);
            })
          : resolve(root, args, context, seen);
      };
    }
  }
}
