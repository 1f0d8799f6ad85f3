/** A value that the setup left for the tests. */
export function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: the setup did not run`);
  return value;
}
