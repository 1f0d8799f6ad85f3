/** Why PostgreSQL cannot store a text; undefined when it can. */
export function unstorable(text: string): string | undefined {
  if (text.includes('\0')) return 'holds a NUL character';
  return text.isWellFormed() ? undefined : 'holds half a surrogate pair';
}
