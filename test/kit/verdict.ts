/** What a command that tries something prints of each promise: whether it holds, and why not. */

/**
 * Tries something; the process exits with 1 where it fails.
 * @param attempt fails with what is wrong; a text that it comes to is printed with the promise
 */
export async function check(promise: string, attempt: () => Promise<unknown>): Promise<void> {
  try {
    const detail = await attempt();
    process.stdout.write(`ok      ${promise}${typeof detail === 'string' ? `: ${detail}` : ''}\n`);
  } catch (error) {
    process.exitCode = 1;
    const { stdout, stderr }: { stdout?: string; stderr?: string } = Object(error);
    const reason = [stdout, stderr].join('').trim() || error;
    process.stdout.write(`FAILED  ${promise}\n${reason}\n`);
  }
}
