import { describe, expect, test } from '@jest/globals';
import { spentIn } from '../bench/profile_places.ts';

const root = new URL('../../', import.meta.url);

/** A profile of one sample of each frame, each of which calls the next of its stack. */
function profileOf(...stacks: readonly (readonly [name: string, url: string])[][]) {
  let id = 1;
  const nodes = [nodeOf(id, '(root)', '')];
  const samples: number[] = [];
  for (const stack of stacks) {
    let above = nodes[0];
    for (const [name, url] of stack) {
      id += 1;
      above?.children.push(id);
      above = nodeOf(id, name, url);
      nodes.push(above);
    }
    samples.push(id);
  }
  return { nodes, samples, timeDeltas: samples.map(() => 200), startTime: 0, endTime: 1 };
}

const nodeOf = (id: number, functionName: string, url: string) => ({
  id,
  callFrame: { functionName, scriptId: '0', url, lineNumber: 4, columnNumber: 0 },
  children: [] as number[],
});

describe("where a profile's time went", () => {
  const of = (...stack: (readonly [string, string])[]) => {
    const [spent] = spentIn(profileOf(stack));
    return spent && `${spent.place.group}: ${spent.place.name}`;
  };
  const at = (path: string) => new URL(path, root).href;

  test('is told by room, package and part of Node', () => {
    expect([
      of(['send', at('dist/modules/db/scheduler/dispatcher.js')]),
      of(['verify', at('src/auth/verifier.ts')]),
      of(['parseJson', at('dist/modules/json/json.js')]),
      of(['send', at('node_modules/fastify/lib/reply.js')]),
      of(['query', at('node_modules/@apollo/server/node_modules/pg/lib/client.js')]),
      of(['text', at('node_modules/@whatwg-node/node-fetch/cjs/Body.js')]),
      of(['emit', 'node:events']),
      of(['writeHead', 'node:_http_server']),
      of(['writev', 'node:internal/stream_base_commons']),
      of(['(garbage collector)', '']),
    ]).toEqual([
      'src: db',
      'src: auth',
      'src: json',
      'packages: fastify',
      'packages: pg',
      'packages: @whatwg-node/node-fetch',
      'Node: events',
      'Node: http',
      'Node: net, tls',
      'V8: garbage collection',
    ]);
  });

  test('counts a native function for its caller, and a write for its receiver', () => {
    const writing = ['writevGeneric', 'node:internal/stream_base_commons'] as const;
    expect([
      of(['read', at('dist/modules/json/json.js')], ['parse', '']),
      of(['send', at('dist/modules/db/scheduler/dispatcher.js')], writing, ['writev', '']),
      of(['end', 'node:_http_outgoing'], writing, ['writev', '']),
      // What ran the statement came from a request, but is not what writes to it.
      of(
        ['onRequest', 'node:_http_server'],
        ['send', at('dist/modules/db/scheduler/dispatcher.js')],
        writing,
        ['writeUtf8String', ''],
      ),
    ]).toEqual([
      'src: json',
      'Node: writes to PostgreSQL',
      'Node: writes to clients',
      'Node: writes to PostgreSQL',
    ]);
  });

  test('leaves out what is idle and what the profiler itself does', () => {
    const profile = profileOf(
      [['(idle)', '']],
      [
        ['post', 'node:inspector'],
        ['dispatch', ''],
      ],
      [['find', at('dist/modules/rest/read.js')]],
    );
    expect(spentIn(profile)).toEqual([
      {
        place: { group: 'src', name: 'rest' },
        function: 'find',
        file: 'dist/modules/rest/read.js:5',
        time: 200,
      },
    ]);
  });
});
