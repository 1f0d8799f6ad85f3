/** What differs between two inputs: an update sends that alone, so that it overwrites nothing else. */
export function changes<Input extends object>(before: Input, after: Input): Partial<Input> {
  const changed: Partial<Input> = { ...after };
  for (const key in after) {
    if (JSON.stringify(before[key]) === JSON.stringify(after[key])) delete changed[key];
  }
  return changed;
}
