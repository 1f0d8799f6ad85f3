/** What the supervisor says to its workers, and asks them. */
import type { Worker } from 'node:cluster';
import { on } from 'node:events';
import type { QuotaReply } from '../http/limits/allowance.ts';
import { isTop, mergeTops, type Top } from '../http/top.ts';
import {
  allMetricsMessage,
  healthMessage,
  isHealth,
  isMeasures,
  metricsMessage,
  topMessage,
} from './messages.ts';

/** A worker that does not answer a question within this time counts as down, in milliseconds. */
const answerMs = 3000;

/** Sending to a dying worker fails: without a callback that would be an uncaught error. */
export function send(worker: Worker, message: string | QuotaReply): void {
  worker.send(message, () => undefined);
}

/** @returns undefined when the worker does not answer */
async function ask<T>(
  worker: Worker,
  question: string,
  isAnswer: (message: unknown) => message is T,
): Promise<T | undefined> {
  const late = AbortSignal.timeout(answerMs);
  send(worker, question);
  try {
    for await (const [message] of on(worker, 'message', { signal: late })) {
      if (isAnswer(message)) return message;
    }
  } catch (error) {
    if (!late.aborted) throw error;
  }
  return undefined;
}

/** Why a worker should get no requests, which mostly is the database that all share; null when it should. */
export async function obstacleOf(worker: Worker): Promise<string | null> {
  const health = await ask(worker, healthMessage, isHealth);
  return health ? health.obstacle : 'a worker does not answer';
}

/** The metrics of those workers that answer; the first is asked for what all have in common as well. */
export async function measuresOf(workers: Iterable<Worker>): Promise<(readonly object[])[]> {
  const asked = [...workers].map((worker, at) =>
    ask(worker, at === 0 ? allMetricsMessage : metricsMessage, isMeasures),
  );
  return (await Promise.all(asked)).flatMap((measured) => (measured ? [measured.metrics] : []));
}

/** Who has used most of late, of those workers that answer. */
export async function topOf(workers: Iterable<Worker>): Promise<Top> {
  const asked = [...workers].map((worker) => ask(worker, topMessage, isTop));
  return mergeTops((await Promise.all(asked)).filter((top) => top !== undefined));
}
