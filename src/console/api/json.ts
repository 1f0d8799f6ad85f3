/** JSON that loses nothing: numbers of more digits than JavaScript holds are written back as they came. */

declare global {
  interface JSON {
    /** Not in every browser. */
    rawJSON?(text: string): unknown;
  }
}

/** Whether what was parsed here can be sent back whole. */
export const keepsNumbers = 'rawJSON' in JSON;

const keep = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
    ? (JSON.rawJSON?.(context.source) ?? value)
    : value;

/** @throws {SyntaxError} when it is not JSON */
export const parseJson = (text: string) => JSON.parse(text, keep);
