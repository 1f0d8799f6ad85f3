/**
 * `npm run test:models`: walks at random through the models of this folder. The promise of each must hold as the
 * code is, and be broken where one of its lines is left out. Then the service's statements take the same walks on a
 * PostgreSQL of their own, and must come to the same. Exits with 1 when it is otherwise.
 * Options by environment: MODELS_SEED (from the clock), MODELS_ONLY (the name of one).
 */
import { readFile } from 'node:fs/promises';
import { ConcurrencyLimit } from '../../src/lib/concurrency_limit.ts';
import { type Walks, walk } from './quint.ts';
import { replayAll } from './replay.ts';

/** How far a model is walked through: the more may happen in it, the more often and the longer. */
const models: Readonly<Record<string, Pick<Walks, 'walks' | 'steps'>>> = {
  feed: { walks: 300, steps: 30 },
  idempotency: { walks: 1000, steps: 40 },
  positions: { walks: 300, steps: 30 },
  claims: { walks: 1000, steps: 50 },
  rotation: { walks: 400, steps: 40 },
};

/** The one that leaves out nothing. */
const complete = 'faithful';

/** What leaves out a line breaks its promise on one of these walks, always the same. */
const mutantSeed = 1;
const mutantWalks = 5000;

/** Walks of a model that the service does once more. */
const replayed = 100;

const seed = Number(process.env.MODELS_SEED ?? Date.now() % 2 ** 30);
const only = process.env.MODELS_ONLY;

const variantsOf = async (model: string): Promise<string[]> => {
  const text = await readFile(new URL(`./${model}.qnt`, import.meta.url), 'utf8');
  return [...text.matchAll(/^module (\w+) \{ import/gm)].flatMap(([, name]) => name ?? []);
};

console.log(`MODELS_SEED=${seed}`);
const atOnce = new ConcurrencyLimit<string>(2);
const began = performance.now();
const names = Object.keys(models).filter((model) => only === undefined || model === only);
await Promise.all(
  names.map(async (model) => {
    const walks = models[model] ?? { walks: 0, steps: 0 };
    const variants = await variantsOf(model);
    if (variants.length < 2 || !variants.includes(complete)) {
      throw new Error(`${model} has no variants: one is ${complete}, others leave out a line`);
    }
    await Promise.all(
      variants.map(async (variant) => {
        const isComplete = variant === complete;
        const how = isComplete ? { ...walks, seed } : { walks: mutantWalks, seed: mutantSeed };
        const { text, holds } = await atOnce.run(model, () =>
          walk({ model, variant, ...walks, ...how }),
        );
        const isRight = holds === isComplete;
        const verdict = holds ? 'holds' : 'is broken';
        console.log(`${isRight ? 'ok    ' : 'FAILED'}  ${model}, ${variant}: ${verdict}`);
        if (isRight) return;
        process.exitCode = 1;
        if (!holds) console.log(text);
      }),
    );
  }),
);
if (only === undefined) await replayAll(seed, replayed, (line) => console.log(`ok      ${line}`));
console.log(`${((performance.now() - began) / 1000).toFixed(0)} s`);
