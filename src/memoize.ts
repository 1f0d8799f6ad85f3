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
