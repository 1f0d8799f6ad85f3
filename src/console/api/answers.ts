/** The latest answers as JSON, so that a page which is come back to is there at once. */

/** Answers that are kept. */
const max = 20;

const answers = new Map<string, string>();

/** Keeps an answer for the next time that the same is asked. */
export function keepAnswer(key: string, answer: unknown): void {
  answers.delete(key);
  answers.set(key, JSON.stringify(answer));
  const [oldest] = answers.keys();
  if (answers.size > max && oldest !== undefined) answers.delete(oldest);
}

/** @returns JSON */
export const answerTo = (key: string): string | undefined => answers.get(key);
