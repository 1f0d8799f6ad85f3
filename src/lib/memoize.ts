/** Makes a function answer once for each object, and remember that as long as the object lives. */
export function memoize<K extends object, V extends object>(answer: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = answer(key);
      known.set(key, value);
    }
    return value;
  };
}

/** The same for each pair of texts, of which there must be few: they are remembered for good. */
export function memoizePair<A extends string, B extends string, V extends object>(
  answer: (one: A, other: B) => V,
): (one: A, other: B) => V {
  const known = new Map<A, Map<B, V>>();
  return (one, other) => {
    let values = known.get(one);
    if (values === undefined) {
      values = new Map();
      known.set(one, values);
    }
    let value = values.get(other);
    if (value === undefined) {
      value = answer(one, other);
      values.set(other, value);
    }
    return value;
  };
}
