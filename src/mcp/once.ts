/** Calls of tools that come with a key, so that they can be sent again and still are done once. */

import type { Context } from '../context/context.ts';
import { rehearse } from '../context/dry_run.ts';
import { codes, Fault, isFinal } from '../errors/errors.ts';
import { errorText } from '../http/error_body.ts';
import { requireKey } from '../http/headers/idempotency_key.ts';
import type { ToolResult } from './result.ts';
import type { ToolCall } from './tool.ts';

/**
 * Writes what a call asks for: once for each key, and not at all in a dry run.
 * @param tool its name, which distinguishes it from other calls with the same key
 * @param write gets the context that it is to write in; what it answers shows no values of records
 */
export async function writeOnce(
  { args, rest, once }: ToolCall,
  tool: string,
  write: (context: Context) => Promise<ToolResult>,
): Promise<ToolResult> {
  if (args.flag('dry_run')) {
    const { text, ...others } = await rehearse(rest, write);
    return { ...others, text: `{"dry_run":true,${text.slice(1)}` };
  }
  const key = args.text('key');
  if (key === undefined) return write(rest);
  const request = ['mcp', tool, args.textWithout('key')];
  const answer = await once(rest, { key: requireKey(key), request }, async (context) => {
    try {
      const { text, isError = false } = await write(context);
      return {
        status: isError ? codes.VALIDATION_FAILED.status : 200,
        headers: {},
        body: text,
        tellsOf: [],
      };
    } catch (error) {
      if (!(error instanceof Fault) || !isFinal(error.code)) throw error;
      const { status } = codes[error.code];
      return { status, headers: {}, body: errorText(error, rest.requestId), tellsOf: [] };
    }
  });
  return { text: answer.body, isError: answer.status >= 400 };
}
