/**
 * Finds in a history of what clients did and were answered what no order of their operations, one after the other,
 * explains: a small Elle (Kingsbury and Alvaro, 2020) for lists that are only appended to.
 */

/** One request: an element appended to a list, and lists that its answer showed, all of one moment. */
export interface Operation {
  /** On a clock that all clients share; the end is infinite where no answer came. */
  readonly began: number;
  readonly ended: number;
  readonly append?: { readonly key: number; readonly element: string };
  readonly reads: readonly (readonly [key: number, elements: readonly string[]])[];
}

/** @param last the lists when all was over */
export function anomaliesOf(
  history: readonly Operation[],
  last: ReadonlyMap<number, readonly string[]>,
): string[] {
  const anomalies = [...lostOf(history, last), ...tornOf(history, last)];
  return anomalies.length > 0 ? anomalies : cyclesOf(history, last);
}

/** What was acknowledged and is not there, what is there twice, and what nobody appended. */
function* lostOf(
  history: readonly Operation[],
  last: ReadonlyMap<number, readonly string[]>,
): Generator<string> {
  const appended = new Set(history.flatMap(({ append }) => append?.element ?? []));
  for (const [key, elements] of last) {
    if (new Set(elements).size < elements.length) yield `${key} holds an element twice`;
    for (const element of elements) {
      if (!appended.has(element)) yield `${key} holds ${element}, which nobody appended`;
    }
  }
  for (const { append, ended } of history) {
    if (!append || ended === Number.POSITIVE_INFINITY) continue;
    if (!last.get(append.key)?.includes(append.element)) {
      yield `lost update: ${append.element} of ${append.key} was acknowledged`;
    }
  }
}

/** Lists that were read, and are no beginning of what they became. */
function* tornOf(
  history: readonly Operation[],
  last: ReadonlyMap<number, readonly string[]>,
): Generator<string> {
  for (const { append, reads } of history) {
    for (const [key, elements] of reads) {
      const whole = last.get(key) ?? [];
      const at = elements.findIndex((element, index) => element !== whole[index]);
      if (at >= 0) yield `torn read: ${key} had ${elements[at]} where it has ${whole[at]}`;
      if (append?.key === key && elements.at(-1) !== append.element) {
        yield `stale read: ${key} did not end with ${append.element} when that was appended`;
      }
    }
  }
}

/** Operations of which each comes before the next and the last before the first. */
function cyclesOf(
  history: readonly Operation[],
  last: ReadonlyMap<number, readonly string[]>,
): string[] {
  // After the operations come the moments at which one ended, each before the next.
  const byEnd = history
    .map(({ ended }, at) => ({ ended, at }))
    .filter(({ ended }) => Number.isFinite(ended))
    .sort((one, other) => one.ended - other.ended);
  const followers: number[][] = Array.from({ length: history.length + byEnd.length }, () => []);
  const link = (from: number | undefined, to: number | undefined) => {
    if (from !== undefined && to !== undefined && from !== to) followers[from]?.push(to);
  };
  byEnd.forEach(({ at }, index) => {
    link(at, history.length + index);
    if (index > 0) link(history.length + index - 1, history.length + index);
  });
  const appendedBy = new Map(history.map(({ append }, at) => [append?.element, at]));
  history.forEach(({ began, reads, append }, at) => {
    const before = endedBefore(byEnd, began);
    if (before > 0) link(history.length + before - 1, at);
    for (const [key, elements] of reads) {
      const whole = last.get(key) ?? [];
      // An append follows the one before, and reads what it came to.
      if (append?.key === key) continue;
      link(appendedBy.get(elements.at(-1) ?? ''), at);
      link(at, appendedBy.get(whole[elements.length] ?? ''));
    }
  });
  for (const elements of last.values()) {
    elements.forEach((element, index) => {
      link(appendedBy.get(elements[index - 1] ?? ''), appendedBy.get(element));
    });
  }
  const textOf = (at: number) => {
    const { append, reads } = history[at] ?? { reads: [] };
    const lists = reads.map(([key, elements]) => `${key}: … ${elements.at(-1) ?? ''}`).join(', ');
    return append ? `append ${append.element} to ${append.key}` : `read ${lists}`;
  };
  return componentsOf(followers)
    .map((component) => component.filter((at) => at < history.length))
    .filter(({ length }) => length > 1)
    .map((component) => `cycle: ${component.slice(0, 6).map(textOf).join(' | ')}`);
}

/** How many operations had ended at a moment. */
function endedBefore(byEnd: readonly { readonly ended: number }[], moment: number): number {
  let [low, high] = [0, byEnd.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((byEnd[middle]?.ended ?? 0) < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The strongly connected components of a graph with more than one node (Tarjan, without recursion). */
function componentsOf(followers: readonly (readonly number[])[]): number[][] {
  const index = new Int32Array(followers.length).fill(-1);
  const low = new Int32Array(followers.length);
  const isOpen = new Uint8Array(followers.length);
  const open: number[] = [];
  const components: number[][] = [];
  let count = 0;
  const enter = (node: number) => {
    index[node] = low[node] = count++;
    open.push(node);
    isOpen[node] = 1;
    return { node, next: 0 };
  };
  for (let root = 0; root < followers.length; root += 1) {
    if (index[root] !== -1) continue;
    const path = [enter(root)];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { node } = top;
      const follower = followers[node]?.[top.next++];
      if (follower === undefined) {
        path.pop();
        const above = path.at(-1);
        if (above) low[above.node] = Math.min(low[above.node] ?? 0, low[node] ?? 0);
        if (low[node] !== index[node]) continue;
        const component = open.splice(open.lastIndexOf(node));
        for (const each of component) isOpen[each] = 0;
        if (component.length > 1) components.push(component);
      } else if (index[follower] === -1) path.push(enter(follower));
      else if (isOpen[follower]) low[node] = Math.min(low[node] ?? 0, index[follower] ?? 0);
    }
  }
  return components;
}
