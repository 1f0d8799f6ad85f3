/** The build keeps the compiled code of a worker. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const { start } = JSON.parse(readFileSync('package.json', 'utf8')).scripts;
const flags = String(start)
  .split(' ')
  .filter((word) => /^--(max|no)-/.test(word));

/** Loads the bundle as `dist/worker.js` does, and says whether V8 took the code that lies beside it. */
const load = `
  const { readFileSync } = require('node:fs');
  const { Script } = require('node:vm');
  const source = readFileSync('dist/worker.cjs', 'latin1');
  const tag = require('node:v8').cachedDataVersionTag().toString(16);
  const cachedData = readFileSync('dist/worker.cjs.' + tag + '.cache');
  const parameters = 'exports, require, module, __filename, __dirname';
  const script = new Script('(function (' + parameters + ') {' + source + '\\n})', { cachedData });
  process.stdout.write(script.cachedDataRejected ? 'rejected' : 'taken');
`;

test.each([
  ['the flags of npm start', flags],
  ['no flags', []],
])('for a Node with %s', (_, args) => {
  const { stdout, stderr } = spawnSync(process.execPath, [...args, '-e', load], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  expect({ stdout, stderr }).toEqual({ stdout: 'taken', stderr: '' });
});

test('its queries are hashed by Node, and not in JavaScript', () => {
  expect(readFileSync('dist/worker.cjs', 'latin1')).not.toContain('node_modules/sha.js/');
});
