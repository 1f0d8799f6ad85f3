/**
 * What one document may ask for: enough for any honest one, too little to wear the service out.
 * What can be told from the text is judged when it is validated, once a document; how many records
 * it may resolve depends on its variables, and is judged by {@link file://./cost.ts} each time.
 */
export const limits = {
  /** Characters; those of comments are no tokens. */
  text: 256 * 1024,
  /** A line ends each comment, which the parser keeps. */
  lines: 4000,
  tokens: 2000,
  /** Levels of fields. */
  depth: 12,
  /** Levels of fields of what describes the schema, which tools ask in more of them. */
  introspection: 20,
  /** Values that describe the schema; all that GraphiQL and generators ask is half of these. */
  described: 15_000,
  aliases: 30,
  rootFields: 20,
  directives: 50,
  /** Fields, those of a fragment counted wherever it is spread. */
  fields: 1000,
  /** Records that a request resolves. */
  records: 10_000,
  /** Values that a request's variables hold, counted wherever one is used. */
  values: 100_000,
  /** Errors that are told of one request; what went wrong a thousand times is told soon enough. */
  errors: 20,
} as const;

/** Says which limit a document is beyond, what it has and what is allowed. */
export const excess = (what: string, allowed: number): string =>
  `The document has ${what}; the limit is ${allowed}`;

/** A sentence for a text that is not worth parsing; undefined for any other. */
export function excessOfText(text: string): string | undefined {
  if (text.length > limits.text) return excess(`${text.length} characters`, limits.text);
  if (text.length < limits.lines) return undefined;
  const lines = linesOf(text);
  return lines > limits.lines ? excess(`${lines} lines`, limits.lines) : undefined;
}

export function linesOf(text: string): number {
  return text.split(/[\r\n]/).length;
}

/** What the parser says of a document with too many tokens, in the words of the other limits. */
export function tellParser(message: string): string {
  if (/contains more that \d+ tokens/.test(message)) {
    return excess(`more than ${limits.tokens} tokens`, limits.tokens);
  }
  // Lists within lists are few tokens, and more than the parser's stack can hold.
  return /call stack/.test(message) ? 'The document is nested too deep' : message;
}
