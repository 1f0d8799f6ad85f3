/** Documents that clients have sent before, within bounds. */
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { linesOf } from './guard/limits.ts';

/** A cache as Apollo Server uses it. */
export interface Cache<V> {
  get(key: string): Promise<V | undefined>;
  set(key: string, value: V): Promise<void>;
  delete(key: string): Promise<boolean>;
}

/**
 * Parsed and validated documents; what was made of them goes with them. Those that came again are
 * kept apart: however many others come once, they stay.
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

/** In tokens, each of which keeps a few hundred bytes; as much as a comment, or a line of text. */
function sizeOf({ tokenCount = 0, loc }: DocumentNode): number {
  const text = loc?.source.body ?? '';
  return 1 + tokenCount + linesOf(text) + Math.ceil(text.length / 100);
}

/** Texts of documents that clients call by their hash. */
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
