/** Documents that clients have sent before, within bounds. */
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { linesOf } from './limits.ts';

/** A cache as Apollo Server uses it. */
export interface Cache<V> {
  get(key: string): Promise<V | undefined>;
  set(key: string, value: V): Promise<void>;
  delete(key: string): Promise<boolean>;
}

/** Parsed and validated documents; their compiled forms go with them. */
export const documentCache = (): Cache<DocumentNode> =>
  bounded({ max: 250, maxSize: 100_000, sizeCalculation: sizeOf });

/** In tokens, each of which keeps a few hundred bytes; as much as a comment, or a line of text. */
function sizeOf({ tokenCount = 0, loc }: DocumentNode): number {
  const text = loc?.source.body ?? '';
  return 1 + tokenCount + linesOf(text) + Math.ceil(text.length / 100);
}

/** Texts of documents that clients call by their hash. */
export const persistedQueryCache = (): Cache<string> =>
  bounded({ max: 1000, maxSize: 4_000_000, sizeCalculation: (text) => text.length });

interface Bounds<V> {
  readonly max: number;
  readonly maxSize: number;
  readonly sizeCalculation: (value: V) => number;
}

function bounded<V extends object | string>(bounds: Bounds<V>): Cache<V> {
  const cache = new LRUCache<string, V>(bounds);
  return {
    get: async (key) => cache.get(key),
    set: async (key, value) => void cache.set(key, value),
    delete: async (key) => cache.delete(key),
  };
}
