/** PostGraphile, when it is installed, and whether it answers what the service answers. */
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import type { Bench } from './database.ts';
import { type Operation, rivalOperationOn } from './operations.ts';
import { send, startTarget, stopTarget, type Target } from './processes.ts';
import { seedOf } from './seed.ts';
import { effectsOf } from './statements.ts';

export interface Rival {
  readonly target: Target;
  readonly operation: Operation;
  /** SQL statements a request. */
  readonly statements: number;
}

export const howToInstall =
  'PostGraphile is not installed and not measured: npm i --no-save postgraphile@5, or elsewhere and NODE_PATH=<there>/node_modules';

/** So many requests are sent to count their statements. */
const counted = 10;

/** @returns null when it is not installed */
export async function startRival(
  bench: Bench,
  ours: Target,
  operation: Operation,
): Promise<Rival | null> {
  try {
    createRequire(import.meta.url).resolve('postgraphile');
  } catch {
    return null;
  }
  const rival = rivalOperationOn(seedOf(bench.contacts));
  const target = await startTarget(
    'postgraphile',
    ['--import', 'tsx', 'test/bench/postgraphile.ts'],
    { ...bench.env, GRAPHILE_ENV: 'production' },
  );
  try {
    const n = bench.generator.next();
    const [a, b] = [
      await send(ours.port, operation.request(n), bench.token),
      await send(target.port, rival.request(n), bench.token),
    ];
    if (b.status !== rival.status || b.text.includes('"errors"')) {
      throw new Error(`${rival.name}: ${b.status} ${b.text}`);
    }
    if (!isDeepStrictEqual(ourDeals(a.text), theirDeals(b.text))) {
      throw new Error(`${rival.name}: answers differ:\n${a.text}\n${b.text}`);
    }
    const { statements } = await effectsOf(bench, async () => {
      for (let at = 0; at < counted; at++) {
        await send(target.port, rival.request(n), bench.token);
      }
    });
    return { target, operation: rival, statements: statements / counted };
  } catch (error) {
    await stopTarget(target);
    throw error;
  }
}

interface Ours {
  readonly data: {
    readonly deals: {
      readonly data: readonly {
        readonly name: string;
        readonly contact: { readonly email: string };
        readonly stage: { readonly name: string };
        readonly deal_products: readonly { readonly product: { readonly name: string } }[];
      }[];
      readonly pagination: { readonly count: number };
    };
  };
}

interface Theirs {
  readonly data: {
    readonly allDeals: {
      readonly nodes: readonly {
        readonly name: string;
        readonly contact: { readonly email: string };
        readonly stage: { readonly name: string };
        readonly dealProducts: {
          readonly nodes: readonly { readonly product: { readonly name: string } }[];
        };
      }[];
      readonly totalCount: number;
    };
  };
}

/** What both must tell, whatever they call it. */
function ourDeals(text: string): unknown {
  const { data }: Ours = JSON.parse(text);
  const { data: deals, pagination } = data.deals;
  return [
    pagination.count,
    deals.map(({ name, contact, stage, deal_products }) => [
      name,
      contact.email,
      stage.name,
      deal_products.map(({ product }) => product.name),
    ]),
  ];
}

function theirDeals(text: string): unknown {
  const { data }: Theirs = JSON.parse(text);
  const { nodes, totalCount } = data.allDeals;
  return [
    totalCount,
    nodes.map(({ name, contact, stage, dealProducts }) => [
      name,
      contact.email,
      stage.name,
      dealProducts.nodes.map(({ product }) => product.name),
    ]),
  ];
}
