/** What a tool is. */
import type { Encryption } from '../auth/encryption.ts';
import type { Action } from '../auth/policy.ts';
import type { Viewer } from '../auth/viewer.ts';
import type { Context } from '../context/context.ts';
import type { AnswerOnce } from '../context/idempotency.ts';
import type { Arguments, ArgumentsSchema } from './arguments.ts';
import type { ToolResult } from './result.ts';

/** What a call of a tool has at hand. */
export interface ToolCall {
  readonly args: Arguments;
  /** As of a route of the REST interface. */
  readonly rest: Context;
  /** As of a client's GraphQL document. */
  readonly client: Context;
  readonly once: AnswerOnce;
  readonly encryption: Encryption;
  /** Whether clients may ask for the schema. */
  readonly introspects: boolean;
}

/** What a tool does to records: what it may be asked for again, and whether it asks before. */
export type Effect = 'reads' | 'adds' | 'changes' | 'removes';

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  /** What it takes, where that does not depend on a resource. */
  readonly needs?: Action;
  /** @returns the arguments that a viewer may send; undefined where it may do nothing with the tool */
  schema(viewer: Viewer): ArgumentsSchema | undefined;
  /** @throws {Fault} for what the service refuses */
  run(call: ToolCall): Promise<ToolResult>;
}
