/** Bounded caches of the documents that clients have sent. */
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { linesOf } from './guard/limits.ts';

/** A cache as Apollo Server uses it. */
interface Cache<V> {
  get(key: string): Promise<V | undefined>;
  set(key: string, value: V): Promise<void>;
  delete(key: string): Promise<boolean>;
}

/**
 * Caches parsed and validated documents. Those that were sent again have a cache of their own, from
 * which no number of documents that are sent only once can evict them.
 */
export function documentCache(): Cache<DocumentNode> {
  const sizeCalculation = sizeOf;
  const once = new LRUCache<string, DocumentNode>({ max: 100, maxSize: 40_000, sizeCalculation });
  const again = new LRUCache<string, DocumentNode>({ max: 250, maxSize: 100_000, sizeCalculation });
  return {
    get: async (key) => {
      const known = again.get(key);
      if (known) return known;
      const second = once.get(key);
      if (!second) return undefined;
      once.delete(key);
      again.set(key, second);
      return second;
    },
    set: async (key, value) => void (again.has(key) ? again : once).set(key, value),
    delete: async (key) => once.delete(key) || again.delete(key),
  };
}

/** Measured in tokens: each takes a few hundred bytes, about as much as a comment or a line. */
function sizeOf({ tokenCount = 0, loc }: DocumentNode): number {
  const text = loc?.source.body ?? '';
  return 1 + tokenCount + linesOf(text) + Math.ceil(text.length / 100);
}

/** Caches the texts of documents that clients refer to by hash. */
export function persistedQueryCache(): Cache<string> {
  const cache = new LRUCache<string, string>({
    max: 1000,
    maxSize: 4_000_000,
    sizeCalculation: (text) => text.length,
  });
  return {
    get: async (key) => cache.get(key),
    set: async (key, value) => void cache.set(key, value),
    delete: async (key) => cache.delete(key),
  };
}
