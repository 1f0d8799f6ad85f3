/** The commands and programs of the README, to be run as they stand there. */
import { readFileSync } from 'node:fs';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/**
 * The blocks of a section, in their order.
 * @param heading the section's own line (`## Clients`)
 * @param language what stands behind the fence
 */
export function blocksOf(heading: string, language: string): readonly string[] {
  const [, section = ''] = readme.split(`\n${heading}\n`);
  const [own = ''] = section.split(/\n#{2,3} /);
  const fenced = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  const blocks = [...own.matchAll(fenced)].map(([, block = '']) => block);
  if (blocks.length === 0) throw new Error(`the README has no ${language} under ${heading}`);
  return blocks;
}
