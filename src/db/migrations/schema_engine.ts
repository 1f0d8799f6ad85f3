import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type * as Engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import { migrationAdapter } from './adapter.ts';
import type { MigrationSession } from './session.ts';

/** The part of the global that is used; the types of Node 20 lack it. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Readonly<Record<string, object>>,
  ): Promise<{ readonly instance: { readonly exports: Readonly<Record<string, unknown>> } }>;
};

let loading: Promise<typeof Engine> | undefined;

/** Where the engine leaves its message when it panics. */
const panics = {
  last: '',
  set_message(message: string) {
    this.last = message;
  },
};

/** Loads Prisma Migrate's own engine. Node 20 cannot import WebAssembly, so it is read here. */
async function load(): Promise<typeof Engine> {
  const engine = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: panics });
  const require = createRequire(import.meta.url);
  const directory = dirname(require.resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
  const bytes = await readFile(join(directory, 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, {
    './schema_engine_bg.js': imports(engine),
  });
  engine.__wbg_set_wasm(instance.exports);
  const start = instance.exports.__wbindgen_start;
  if (typeof start === 'function') start();
  return engine;
}

/** What the engine calls. Its timers would keep the process alive for ten seconds after its work. */
function imports(engine: typeof Engine): object {
  return Object.fromEntries(
    Object.entries(engine).map(([name, provided]) => [
      name,
      name.startsWith('__wbg_setTimeout_')
        ? (callback: () => void, milliseconds: number) => setTimeout(callback, milliseconds).unref()
        : provided,
    ]),
  );
}

/**
 * Runs `work` with the engine on a session's database.
 * @param datamodels schema files as [path, content]; undefined when the work needs none
 * @throws the engine's own error, or what the driver threw underneath
 */
export async function withSchemaEngine<T>(
  session: MigrationSession,
  datamodels: [string, string][] | undefined,
  work: (engine: Engine.SchemaEngine) => Promise<T>,
): Promise<T> {
  const { SchemaEngine } = await (loading ??= load());
  const { factory, close } = migrationAdapter(session);
  try {
    const engine = await SchemaEngine.new(
      { datamodels },
      () => undefined,
      bindMigrationAwareSqlAdapterFactory(factory),
    );
    try {
      return await work(engine);
    } catch (error) {
      if (panics.last === '') throw error;
      throw new Error(`Prisma's schema engine failed: ${panics.last}`, { cause: error });
    } finally {
      panics.last = '';
      engine.free();
    }
  } finally {
    await close();
  }
}
