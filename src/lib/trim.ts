/**
 * A text without the characters at its end that are among some. An expression that is anchored at the end would
 * start over at each of them, wherever they stand.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
