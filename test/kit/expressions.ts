/** The regular expressions of the source, as the compiler sees them. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const src = fileURLToPath(new URL('../../src/', import.meta.url));

export interface Expressions {
  /** As they are written, each with the places where it stands: `file:line`. */
  readonly literals: ReadonlyMap<string, readonly string[]>;
  /** Places where one is made of a text, so that nobody can say beforehand what it is. */
  readonly made: readonly string[];
}

const kinds: Readonly<Record<string, ts.ScriptKind>> = {
  '.ts': ts.ScriptKind.TS,
  '.tsx': ts.ScriptKind.TSX,
  '.js': ts.ScriptKind.JS,
  '.mjs': ts.ScriptKind.JS,
};

export function expressionsOfSource(): Expressions {
  const literals = new Map<string, string[]>();
  const made: string[] = [];
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => extname(file) in kinds && !file.startsWith('generated'),
  );
  for (const file of files.toSorted()) {
    const text = readFileSync(join(src, file), 'utf8');
    const kind = kinds[extname(file)];
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, kind);
    const placeOf = (node: ts.Node) =>
      `${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`;
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        literals.set(node.text, [...(literals.get(node.text) ?? []), placeOf(node)]);
      }
      const isMade = ts.isNewExpression(node) || ts.isCallExpression(node);
      if (isMade && node.expression.getText(source) === 'RegExp') made.push(placeOf(node));
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { literals, made };
}
