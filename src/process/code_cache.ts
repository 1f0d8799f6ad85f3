/**
 * Starts the bundled program of a worker from V8's code cache: compiling it would take a quarter of a start. Run by
 * itself, `dist/worker.js` writes the cache for the V8 that it runs on and the flags that it was given; without one, all
 * of it is compiled, as ever.
 */
import cluster from 'node:cluster';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

const file = fileURLToPath(new URL('worker.cjs', import.meta.url));

/** V8 takes none of another version, other flags or another processor. */
const cacheFile = `${file}.${cachedDataVersionTag().toString(16)}.cache`;

function readCache(): Buffer | undefined {
  try {
    return readFileSync(cacheFile);
  } catch {
    return undefined;
  }
}

const parameters = 'exports, require, module, __filename, __dirname';
// The bundle is ASCII, which is read and kept in half of the time and room so.
const script = new Script(`(function (${parameters}) {${readFileSync(file, 'latin1')}\n})`, {
  filename: file,
  cachedData: readCache(),
});
const run: unknown = script.runInThisContext();
if (typeof run !== 'function') throw new Error(`${file} is no module`);
const module = { exports: {} };
run(module.exports, createRequire(file), module, file, dirname(file));
if (cluster.isPrimary) writeFileSync(cacheFile, script.createCachedData());
