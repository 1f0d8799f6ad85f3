/** Who may import whom, read from the sources. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const src = fileURLToPath(new URL('../../src/', import.meta.url));

interface Import {
  /** Beneath src. */
  readonly file: string;
  /** A path beneath src, or a package. */
  readonly target: string;
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('generated'))
  .filter((file) => statSync(join(src, file)).isFile());

const statement = /^(?:import|export)\s+(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gms;

const imports: readonly Import[] = files.flatMap((file) =>
  [...readFileSync(join(src, file), 'utf8').matchAll(statement)].map(([, at = '', later = at]) => ({
    file,
    target: later.startsWith('.') ? relative(src, join(src, dirname(file), later)) : later,
  })),
);

/** The room of a file: its folder. */
const room = (file: string) => file.replace(/(\/.*|\.ts)$/, '');
const isOurs = (target: string) => files.includes(target) || target.startsWith('generated/');

type Permissions = Readonly<Record<string, readonly string[]>>;

/** Permissions that nothing needs, and those given twice: `from → to`. */
const unneeded = (permissions: Permissions, needed: readonly string[]) =>
  Object.entries(permissions)
    .flatMap(([from, others]) => others.map((to) => `${from} → ${to}`))
    .filter((each, at, all) => !needed.includes(each) || all.indexOf(each) !== at);

/** Rooms that a room may import from besides itself. */
const allowed: Permissions = {
  main: ['process'],
  process: ['app', 'demo', 'http', 'db', 'telemetry', 'config', 'lib', 'errors'],
  app: [
    'mcp',
    'rest',
    'graphql',
    'http',
    'resources',
    'delivery',
    'auth',
    'db',
    'context',
    'telemetry',
    'config',
  ],
  // The search language, because its description is made from its tables.
  rest: ['graphql', 'http', 'search', 'auth', 'context', 'csv', 'json', 'lib', 'errors'],
  graphql: [
    'resources',
    'search',
    'http',
    'auth',
    'db',
    'context',
    'json',
    'lib',
    'errors',
    'generated',
  ],
  // Its tools are rows over the routes and the schema, and know no use case.
  mcp: ['rest', 'graphql', 'http', 'auth', 'context', 'config', 'json', 'lib', 'errors'],
  http: ['auth', 'context', 'config', 'json', 'lib', 'errors'],
  resources: ['search', 'auth', 'db', 'context', 'config', 'json', 'lib', 'errors', 'generated'],
  delivery: ['resources', 'db', 'context', 'telemetry', 'config', 'lib'],
  context: ['auth', 'db', 'errors', 'lib'],
  search: ['db', 'json', 'lib', 'errors'],
  auth: ['db', 'config', 'lib', 'errors'],
  db: ['postgres', 'config', 'lib', 'errors', 'generated'],
  postgres: ['lib'],
  backup: ['db', 'auth'],
  telemetry: ['config', 'lib'],
  demo: ['resources', 'auth', 'db', 'context', 'config', 'lib'],
  // The schema of REST, which a command prints, and the service itself, which one runs.
  cli: [
    'process',
    'demo',
    'rest',
    'resources',
    'backup',
    'import',
    'auth',
    'db',
    'postgres',
    'context',
    'csv',
    'json',
    'config',
    'lib',
    'errors',
  ],
  import: ['csv', 'lib'],
  // Typed documents of what it asks, and nothing of what answers; the CSV that people give to it.
  console: ['generated', 'csv', 'import', 'lib'],
  config: ['lib'],
  json: [],
  lib: ['errors'],
};

describe('rooms', () => {
  test.each(Object.keys(allowed))('%s imports only what it may', (name) => {
    const wrong = imports
      .filter(({ file, target }) => room(file) === name && isOurs(target))
      .filter(({ target }) => room(target) !== name && !allowed[name]?.includes(room(target)))
      .map(({ file, target }) => `${file} → ${target}`);
    expect(wrong).toEqual([]);
  });

  test('each room that imports from others has its row', () => {
    const rooms = imports
      .filter(({ file, target }) => isOurs(target) && room(file) !== room(target))
      .map(({ file }) => room(file));
    expect(rooms.filter((name) => !(name in allowed))).toEqual([]);
  });

  test('each permission is used', () => {
    const used = imports
      .filter(({ target }) => isOurs(target))
      .map(({ file, target }) => `${room(file)} → ${room(target)}`);
    expect(unneeded(allowed, used)).toEqual([]);
  });

  test('no file leads back to itself by way of those that it imports, types included', () => {
    const needed = new Map<string, string[]>(files.map((file) => [file, []]));
    for (const { file, target } of imports) needed.get(file)?.push(target);
    const isIn = (file: string, sought: string, seen: Set<string>): boolean =>
      (needed.get(file) ?? []).some((target) => {
        if (target === sought) return true;
        if (seen.has(target)) return false;
        return isIn(target, sought, seen.add(target));
      });
    expect(files.filter((file) => isIn(file, file, new Set()))).toEqual([]);
  });

  test('are at most 26, and only the entry point stands outside of them', () => {
    expect(files.filter((file) => !file.includes('/'))).toEqual(['main.ts']);
    expect(new Set(files.map(room)).size).toBeLessThanOrEqual(26);
  });

  test('rest reaches the use cases through graphql alone, and never the database', () => {
    const wrong = imports.filter(
      ({ file, target }) =>
        room(file) === 'rest' && /^(resources|db|generated\/prisma|@prisma|pg)\b/.test(target),
    );
    expect(wrong).toEqual([]);
  });

  test('resources know neither graphql nor http, not even by type', () => {
    const wrong = imports.filter(
      ({ file, target }) =>
        room(file) === 'resources' && /^(graphql|http|rest|fastify|@apollo)\b/.test(target),
    );
    expect(wrong).toEqual([]);
  });

  test('search, db and auth never import upward', () => {
    const wrong = imports.filter(
      ({ file, target }) =>
        ['search', 'db', 'auth'].includes(room(file)) &&
        /^(resources|graphql|rest|http|app|main|cli)\b/.test(target),
    );
    expect(wrong).toEqual([]);
  });

  test('the console is a client: of what is generated it sees its own documents alone', () => {
    const wrong = imports
      .filter(({ file }) => room(file) === 'console')
      .filter(
        ({ target }) =>
          isOurs(target) && room(target) === 'generated' && target !== 'generated/console.ts',
      );
    const others = imports.filter(
      ({ file, target }) => room(file) !== 'console' && target === 'generated/console.ts',
    );
    expect([...wrong, ...others]).toEqual([]);
  });

  test('only db and resources see the Prisma client', () => {
    const wrong = imports
      .filter(
        ({ target }) => target.startsWith('generated/prisma') || target.startsWith('@prisma/'),
      )
      .filter(({ file }) => !['db', 'resources'].includes(room(file)));
    expect(wrong).toEqual([]);
  });
});

describe('resources', () => {
  /** A folder of use cases, or one within it. */
  const folder = (file: string) => dirname(file).replace('resources/', '');
  const isFolder = (target: string) => /^resources\/.*\//.test(target);

  /** What any resource may take from another: what is the same for all, and the two trails. */
  const shared = [
    'kernel',
    'kernel/batch',
    'kernel/fields',
    'kernel/read',
    'kernel/write',
    'audit',
    'events',
  ];
  const between: Permissions = {
    // The creator of a deal is assigned to it.
    deals: ['deals/bulk', 'deals/positions', 'contacts', 'deal_assignees'],
    'deals/bulk': ['deals', 'deals/positions', 'contacts'],
    // With a contact go its deals.
    contacts: ['deals/positions'],
    // What goes with a contact goes in parts where there is much of it.
    erasures: ['contacts', 'deals', 'deal_products', 'idempotency'],
    // A search can say from which change on its results may be out of date.
    'kernel/read': ['changes'],
    exports: ['changes'],
    pipelines: ['stages'],
    // Deals are put back to where they stood, contacts are told apart, totals have their bounds, and erasures wait.
    undo: ['deals/positions', 'contacts', 'deal_products', 'erasures'],
    // What former rules stored of phones is read anew by the rules of contacts; an account's name is no record's.
    repair: ['accounts', 'contacts'],
    webhooks: ['changes'],
    users: ['sessions', 'tokens'],
  };

  test('import each other only as the architecture says', () => {
    const wrong = imports
      .filter(
        ({ file, target }) => isFolder(file) && isFolder(target) && folder(file) !== folder(target),
      )
      .filter(
        ({ file, target }) =>
          ![...shared, ...(between[folder(file)] ?? [])].includes(folder(target)),
      )
      .map(({ file, target }) => `${file} → ${target}`);
    expect(wrong).toEqual([]);
  });

  test('each permission is used', () => {
    const used = imports
      .filter(({ file, target }) => isFolder(file) && isFolder(target))
      .map(({ file, target }) => `${folder(file)} → ${folder(target)}`);
    expect(unneeded(between, used)).toEqual([]);
  });
});

test('only rest/routes.ts holds REST paths', () => {
  const wrong = files
    .filter(
      (file) =>
        !['rest/routes.ts', 'rest/register.ts'].includes(file) &&
        // Pages of the console have addresses of their own, named like the resources.
        !/^(cli|http\/pages|console)\//.test(file),
    )
    .filter((file) =>
      /['"`]\/(contacts|deals|deal_products|products|users)\b/.test(
        readFileSync(join(src, file), 'utf8'),
      ),
    );
  expect(wrong).toEqual([]);
});

test('only errors/codes.ts defines error codes', () => {
  const wrong = files
    .filter((file) => file !== 'errors/codes.ts')
    .filter((file) => /summary: '|status: 4\d\d/.test(readFileSync(join(src, file), 'utf8')));
  expect(wrong).toEqual([]);
});

/** Participles and adverbs say nothing of what something is: what was found, and beside what? */
const nameless =
  'Apart Around Asked Beneath Beside Bound Chosen Claimed Counted Created Fetched Found Given Held Issued Kept Known Listed Looked Made Meant Merged Most Moved Named Observed Opened Placed Planned Prepared Read Refused Removed Restored Seen Selected Sent Settled Shared Shown Stored Taken Told Typed Waiting Wanted Watched Within Written'.split(
    ' ',
  );

test('no type and nothing that a file gives to others is called by a participle alone', () => {
  const types = /^(?:export )?(?:interface|type|class) (\w+)/gm;
  const exported = /^export (?:async )?(?:function|const|let) (\w+)/gm;
  const names = files.flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8');
    const found = [...text.matchAll(types), ...text.matchAll(exported)];
    return found.map(([, name = '']) => ({ file, name }));
  });
  const isNameless = (name: string) =>
    nameless.includes(name.charAt(0).toUpperCase() + name.slice(1));
  expect(names.filter(({ name }) => isNameless(name))).toEqual([]);
});

test('no file of ours is longer than 300 lines', () => {
  const long = files.filter(
    (file) => readFileSync(join(src, file), 'utf8').split('\n').length > 301,
  );
  expect(long).toEqual([]);
});
