/**
 * What Jest runs each test file in. Of what is imported there it makes a copy for each file, which
 * takes seconds for the service and all of its packages: so a worker loads what follows once,
 * outside, and every file finds it as `shared`.
 */
import { TestEnvironment } from 'jest-environment-node';
import pg from 'pg';
import type * as app from '../../src/app/app.ts';
import type * as config from '../../src/config/config.ts';
import type * as sql from '../../src/db/sql/sql.ts';
import type * as document from '../../src/rest/openapi/document.ts';
import type * as log from '../../src/telemetry/log.ts';
import { loadParser, requireDistributable, unbound } from './account_filters.ts';
import type { AppUnderTest, Recording } from './app_under_test.ts';
import { refused } from './citus_limits.ts';
import { runHere } from './command_here.ts';
import { Documentation } from './conforms.ts';
import { demo } from './demo.ts';
import { shipped } from './shipped.ts';
import * as databases from './test_database.ts';
import { borrow } from './worker_app.ts';

type Databases = typeof databases;

/** The service as it is built, and what looks at everything that it says. */
export interface Shared extends Databases {
  readonly startApp: typeof app.startApp;
  readonly readConfig: typeof config.readConfig;
  readonly createLog: typeof log.createLog;
  readonly raw: typeof sql.raw;
  readonly documentation: Documentation;
  readonly requireDistributable: typeof requireDistributable;
  readonly unbound: typeof unbound;
  readonly refused: typeof refused;
  readonly shipped: typeof shipped;
  readonly runHere: typeof runHere;
  readonly demo: typeof demo;
  readonly pg: typeof pg;
  /** The app that the files of the worker share, recorded there from now on. */
  borrowApp(recording: Recording): Promise<AppUnderTest>;
}

/** What an app is started with. */
export type Modules = Omit<Shared, 'borrowApp'>;

let loading: Promise<Shared> | undefined;

async function load(): Promise<Shared> {
  const [{ startApp }, { readConfig }, { createLog }, { raw }, { openapi }] = await Promise.all([
    shipped<typeof app>('app/app.js'),
    shipped<typeof config>('config/config.js'),
    shipped<typeof log>('telemetry/log.js'),
    shipped<typeof sql>('db/sql/sql.js'),
    shipped<typeof document>('rest/openapi/document.js'),
    loadParser(),
  ]);
  const documentation = new Documentation(openapi());
  const modules = {
    startApp,
    readConfig,
    createLog,
    raw,
    documentation,
    requireDistributable,
    unbound,
    refused,
    shipped,
    runHere,
    demo,
    pg,
    ...databases,
  };
  return { ...modules, borrowApp: (recording) => borrow(modules, recording) };
}

export default class Sandbox extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    // The driver of databases tells moments by their class.
    this.global.Date = Date;
    // Jest empties whatever object stands there, once the file is done.
    this.global['shared'] = { ...(await (loading ??= load())) };
  }
}
