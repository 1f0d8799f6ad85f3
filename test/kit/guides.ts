/** The README and the guides, whose commands and programs are to be run as they stand there. */
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
