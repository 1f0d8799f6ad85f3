/**
 * From a request to a stored operation and back, through sofa-api. Of a call sofa's handler still
 * does one thing: it picks the variables of a root field out of what a request carries. The matching
 * of paths, the document, the status and the writing of the answer are ours, because sofa's own are
 * slower and know one status a route.
 */
import { Response } from 'fets';
import {
  buildASTSchema,
  type ExecutionResult,
  type GraphQLSchema,
  Kind,
  type NamedTypeNode,
  type ScalarTypeDefinitionNode,
  visit,
} from 'graphql';
import { createSofa, createSofaRouter } from 'sofa-api';
import type { Context } from '../context/context.ts';
import { Fault } from '../errors/errors.ts';
import { prepareStored } from '../graphql/execute.ts';
import type { Run, Variables } from '../graphql/operation.ts';
import { noteOperation } from '../graphql/operation_counts.ts';
import { trusted, typeDefs } from '../graphql/schema.ts';
import { inSpan } from '../lib/tracing.ts';
import { isPassed, operations, rootField } from './operations.ts';
import { type Answer, type Route, routes } from './routes.ts';

/** Passes through sofa's handler as its context. */
class SofaContext {
  /** The root field. */
  readonly name: string;
  readonly type: 'query' | 'mutation';
  readonly context: Context;
  readonly operation: Run;
  result: ExecutionResult | undefined;
  /** Set by sofa. */
  request: unknown;

  constructor(
    { name, type }: Pick<SofaContext, 'name' | 'type'>,
    context: Context,
    operation: Run,
  ) {
    this.name = name;
    this.type = type;
    this.context = context;
    this.operation = operation;
  }
}

/** An answer, and what the root field returned of which it was made. */
export interface RouteResult extends Answer {
  readonly payload: object;
}

/**
 * Runs a route.
 * @param args of its root field: path parameters and `input`, or the parts of a search
 * @param part what to run instead of all of its operation
 */
export type RunRoute = (context: Context, args: Variables, part?: Run) => Promise<RouteResult>;

/**
 * What sofa gets to answer with, and its answer. Nobody reads either, for the result is taken from the call. It
 * gets errors, because it makes a response of any data, which takes it longer than all else that it does.
 */
const unread: ExecutionResult = { errors: [] };
const response = Response.json(null);

const rootTypes = ['Query', 'Mutation'];

const attributesOf = ({ name, type }: SofaContext) => ({
  'graphql.operation.type': type,
  'graphql.operation.name': name,
});

/** A type of answers, of which sofa need know nothing. */
const anyAnswer = 'Answer';

/**
 * The schema as sofa gets it: root fields of routes, only with the arguments that stored operations pass, and nothing
 * of what they answer. It would have a variable for each other argument, twenty for a contact, look for all of them in
 * every request, and write a document and a schema of all fields of an answer, which nobody reads. Scalars are plain
 * ones here, because sofa has them serialize variables as if they were answers.
 */
function withArgumentsPassed(): GraphQLSchema {
  const answer: NamedTypeNode = {
    kind: Kind.NAMED_TYPE,
    name: { kind: Kind.NAME, value: anyAnswer },
  };
  const trimmed = visit(typeDefs, {
    ObjectTypeDefinition: (type) => {
      if (!rootTypes.includes(type.name.value)) return null;
      const fields = type.fields?.filter(({ name }) => operations.has(name.value));
      return {
        ...type,
        fields: fields?.map((field) => {
          const args = field.arguments?.filter(({ name }) => isPassed({ name: name.value }));
          return { ...field, type: answer, arguments: args };
        }),
      };
    },
  });
  const scalar: ScalarTypeDefinitionNode = {
    kind: Kind.SCALAR_TYPE_DEFINITION,
    name: answer.name,
  };
  return buildASTSchema({ ...trimmed, definitions: [...trimmed.definitions, scalar] }, trusted);
}

const sofa = createSofa({
  basePath: '',
  schema: withArgumentsPassed(),
  routes: Object.fromEntries(
    routes.map((route) => [
      `${rootField(route.operation).parent.name}.${route.operation}`,
      { method: route.method, path: route.path },
    ]),
  ),
  execute: async ({ contextValue: call, variableValues }) => {
    if (!(call instanceof SofaContext)) throw new Error('an operation was run without a call');
    const { trace } = call.context;
    const running = () => call.operation(call.context, variableValues ?? {});
    call.result = await (trace
      ? inSpan(trace, `${call.type} ${call.name}`, attributesOf(call), running)
      : running());
    noteOperation(call.name, call.result.errors !== undefined);
    return unread;
  },
  errorHandler: (errors) => {
    if (errors === unread.errors) return response;
    throw errors[0];
  },
});

const handlers = new Map<string, CallableFunction>();
for (const { method, path, handler } of createSofaRouter(sofa).__routes) {
  if (typeof handler === 'function') handlers.set(`${method} ${path}`, handler);
}

/**
 * @returns what runs a route
 * @throws {Error} when the schema has no such operation
 */
export function runner(route: Route): RunRoute {
  const handler = handlers.get(`${route.method} ${route.path}`);
  if (!handler) throw new Error(`sofa has no route ${route.method} ${route.path}`);
  const document = operations.get(route.operation);
  if (!document) throw new Error(`no operation is stored for ${route.operation}`);
  const whole = prepareStored(document);
  const isMutation = rootField(route.operation).parent.name === 'Mutation';
  const field = { name: route.operation, type: isMutation ? 'mutation' : 'query' } as const;
  return async (context, args, operation = whole) => {
    const call = new SofaContext(field, context, operation);
    // A handler reads nothing else of a request.
    await Reflect.apply(handler, undefined, [{ url: '', params: args, body: null }, call]);
    const payload = returnedBy(call, route.operation);
    const { status, body } = route.answer(payload);
    return { status, body, payload };
  };
}

/** @throws what the use case threw */
function returnedBy({ result }: SofaContext, field: string): object {
  const error = result?.errors?.[0];
  // A stored operation is valid, so only its variables can be wrong.
  if (error) throw error.originalError ?? new Fault('VALIDATION_FAILED', [error.message]);
  const value = result?.data?.[field];
  if (typeof value === 'object' && value !== null) return value;
  throw new Error(`${field} returned nothing`);
}
