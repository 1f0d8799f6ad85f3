/** Running root fields: those of a query side by side, those of a mutation one after the other. */
import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Context } from '../context/context.ts';
import type { Variables } from './operation.ts';

/** A root field with its resolver, or with a value that is always the same. */
export interface RootField {
  /** Its name in the answer. */
  readonly name: string;
  /** @throws what the resolver throws */
  readonly resolve: (context: Context, variables: Variables) => unknown;
}

/** What became of a root field. */
interface Outcome {
  readonly value: unknown;
  readonly error?: GraphQLError;
}

/**
 * @param isSerial whether each field waits for the one before it, as those of a mutation do
 * @returns values and errors in the order of the document
 */
export async function runRootFields(
  fields: readonly RootField[],
  isSerial: boolean,
  context: Context,
  variables: Variables,
): Promise<ExecutionResult> {
  const outcomes: Outcome[] = [];
  if (isSerial || fields.length === 1) {
    for (const field of fields) outcomes.push(await outcomeOf(field, context, variables));
  } else {
    const begun = fields.map((field) => outcomeOf(field, context, variables));
    outcomes.push(...(await Promise.all(begun)));
  }
  const data: Record<string, unknown> = {};
  fields.forEach(({ name }, at) => {
    data[name] = outcomes[at]?.value;
  });
  const errors = outcomes.flatMap(({ error }) => error ?? []);
  return errors.length === 0 ? { data } : { data, errors };
}

/** Never rejects: a root field that fails is null, and the others are answered all the same. */
async function outcomeOf(
  { name, resolve }: RootField,
  context: Context,
  variables: Variables,
): Promise<Outcome> {
  try {
    return { value: await resolve(context, variables) };
  } catch (thrown) {
    const originalError = thrown instanceof Error ? thrown : new Error(String(thrown));
    const { message } = originalError;
    return { value: null, error: new GraphQLError(message, { path: [name], originalError }) };
  }
}
