/**
 * Limits of a document: enough for any honest client, too little to exhaust the service. Most are
 * checked once, when a document is validated. How many records it may resolve depends on its
 * variables and is checked each time (`cost.ts`).
 */
export const limits = {
  /** Characters, since comments have no tokens. */
  text: 256 * 1024,
  /** Lines, since the parser keeps every comment and each ends with one. */
  lines: 4000,
  tokens: 2000,
  /** Levels of fields. */
  depth: 12,
  /** Levels of introspection fields, of which tools need more. */
  introspection: 20,
  /** Values of introspection; GraphiQL and code generators need half as many. */
  described: 15_000,
  aliases: 30,
  rootFields: 20,
  directives: 50,
  /** Fields, counting a fragment's at every spread. */
  fields: 1000,
  /** Records resolved by a request. */
  records: 10_000,
  /** Values in a request's variables, counted at every use. */
  values: 100_000,
  /** Errors reported of one request: more of them would say nothing new. */
  errors: 20,
} as const;

/** The message for a document beyond a limit. */
export const excess = (what: string, allowed: number): string =>
  `The document has ${what}; the limit is ${allowed}`;

/** The message for a text that is too large to parse; undefined for any other. */
export function excessOfText(text: string): string | undefined {
  if (text.length > limits.text) return excess(`${text.length} characters`, limits.text);
  if (text.length < limits.lines) return undefined;
  const lines = linesOf(text);
  return lines > limits.lines ? excess(`${lines} lines`, limits.lines) : undefined;
}

/** Lines of a text; a CR and a LF end one each, so that a CRLF counts twice. */
export function linesOf(text: string): number {
  return text.split(/[\r\n]/).length;
}

/** Rewords what the parser says of documents that are too large for it. */
export function parserMessage(message: string): string {
  if (/contains more that \d+ tokens/.test(message)) {
    return excess(`more than ${limits.tokens} tokens`, limits.tokens);
  }
  // Nested lists take few tokens, but can overflow the parser's stack.
  return /call stack/.test(message) ? 'The document is nested too deep' : message;
}
