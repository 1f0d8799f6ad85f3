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

/** Parsed and validated documents, for Apollo Server by its keys, and by their texts. */
export interface Documents extends Cache<DocumentNode> {
  /** The document of a text that was sent again. */
  findByText(text: string): DocumentNode | undefined;
}

/**
 * Caches parsed and validated documents. Those that were sent again have a cache of their own, from
 * which no number of documents that are sent only once can evict them.
 */
export function documentCache(): Documents {
  const sizeCalculation = sizeOf;
  const once = new LRUCache<string, DocumentNode>({ max: 100, maxSize: 40_000, sizeCalculation });
  const keys = new Map<string, string>();
  const again = new LRUCache<string, DocumentNode>({
    max: 250,
    maxSize: 100_000,
    sizeCalculation,
    dispose: (document) => keys.delete(textOf(document)),
  });
  return {
    get: async (key) => {
      const known = again.get(key);
      if (known) return known;
      const second = once.get(key);
      if (!second) return undefined;
      once.delete(key);
      again.set(key, second);
      keys.set(textOf(second), key);
      return second;
    },
    // A request that parsed it at the same time as others adds nothing.
    set: async (key, value) => void (again.has(key) || once.set(key, value)),
    delete: async (key) => once.delete(key) || again.delete(key),
    findByText: (text) => {
      const key = keys.get(text);
      return key === undefined ? undefined : again.get(key);
    },
  };
}

const textOf = ({ loc }: DocumentNode): string => loc?.source.body ?? '';

/** Measured in tokens: each takes a few hundred bytes, about as much as a comment or a line. */
function sizeOf(document: DocumentNode): number {
  const { tokenCount = 0 } = document;
  const text = textOf(document);
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
