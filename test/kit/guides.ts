/** The README and the guides, whose commands and programs are to be run as they stand there. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The text of a file of the project, by its path from the root. */
export const textOf = (file: string): string => readFileSync(root + file, 'utf8');

/** Every guide, by its path from the root. */
export const guides: readonly string[] = readdirSync(`${root}src/docs`, {
  recursive: true,
  encoding: 'utf8',
})
  .filter((name) => name.endsWith('.md'))
  .map((name) => `src/docs/${name}`)
  .sort();

/** A block of code. */
export interface Block {
  /** What stands behind the fence; empty for a picture. */
  readonly language: string;
  readonly code: string;
}

/** All blocks of code of a file, in their order. Those in lists lose their indentation. */
export const allBlocksOf = (file: string): readonly Block[] =>
  [...textOf(file).matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)].map(
    ([, indentation = '', language = '', code = '']) => ({
      language,
      code: code.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
    }),
  );

/**
 * The blocks of a file in one language, in their order.
 * @param language what stands behind the fence
 */
export function blocksOf(file: string, language: string): readonly string[] {
  const blocks = allBlocksOf(file).filter((block) => block.language === language);
  if (blocks.length === 0) throw new Error(`${file} has no ${language}`);
  return blocks.map(({ code }) => code);
}

/**
 * What the commands of a block export for the `npm start` at their end, which is not run.
 * @param replaced addresses of machines that are not here, and what stands for them
 */
export function environmentOf(
  block: string,
  replaced: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const here = Object.entries(replaced).reduce(
    (text, [address, own]) => text.replaceAll(address, own),
    block,
  );
  const variables = execFileSync('sh', ['-ec', `npm() { env; }\n${here}`], {
    env: { PATH: process.env['PATH'] },
    encoding: 'utf8',
  });
  return Object.fromEntries(
    [...variables.matchAll(/^(\w*DATABASE_URL)=(.*)$/gm)].map(([, name = '', url = '']) => [
      name,
      url,
    ]),
  );
}
