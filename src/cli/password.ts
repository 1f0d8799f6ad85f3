import { text } from 'node:stream/consumers';
import { passwordLength } from '../resources/kernel/fields/password.ts';

const { min, max } = passwordLength;

/** The option by which a command takes a password. An argument could be read by all users of the machine. */
export const passwordOption = [
  '--password-stdin',
  `reads the password, ${min} to ${max} characters, from a line of standard input`,
] as const;

/** The password on standard input, as the fields of a user. */
export async function readPassword(): Promise<{ password: string; password_confirmation: string }> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  return { password, password_confirmation: password };
}
