/** What a document is run with. */
import type { ExecutionResult } from 'graphql';
import type { Context } from '../context/context.ts';

export type Variables = Readonly<Record<string, unknown>>;

export type Run = (
  context: Context,
  variables: Variables,
) => ExecutionResult | Promise<ExecutionResult>;

/** Apollo adds to its context value, so ours is wrapped. */
export interface OperationContext {
  readonly context: Context;
  /** Whether the document is to be watched: subscriptions are, and nothing else is. */
  readonly isWatched: boolean;
  /** The key that came with it. */
  readonly sentKey?: string | undefined;
  /** Whether the client wants to know what a mutation would do. */
  readonly isDryRun?: boolean;
}
