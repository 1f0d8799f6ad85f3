/**
 * Entries that wait, in the turns of their owners: whoever has just been served goes last, so that nobody is
 * served sooner by asking more often. The entries of an owner keep their order.
 */
export class FairQueue<Owner, Entry> {
  /** Whose turn it is comes first; nobody is in it without an entry. */
  readonly #entries = new Map<Owner, Entry[]>();
  #size = 0;

  /** How many entries wait. */
  get size(): number {
    return this.#size;
  }

  /** Those who wait, whoever's turn it is first. */
  owners(): Iterable<Owner> {
    return this.#entries.keys();
  }

  /** All entries, whatever their order. */
  entries(): readonly Entry[] {
    return [...this.#entries.values()].flat();
  }

  add(owner: Owner, entry: Entry): void {
    const own = this.#entries.get(owner);
    if (own) own.push(entry);
    else this.#entries.set(owner, [entry]);
    this.#size += 1;
  }

  /**
   * Takes an entry out of the queue, after which its owner goes last.
   * @param isReady whether an entry may be taken; those that may not are passed over
   * @returns undefined when there is none that may
   */
  take(isReady: (entry: Entry, owner: Owner) => boolean = () => true): Entry | undefined {
    for (const [owner, own] of this.#entries) {
      const at = own.findIndex((entry) => isReady(entry, owner));
      if (at === -1) continue;
      const [entry] = own.splice(at, 1);
      this.#size -= 1;
      this.#entries.delete(owner);
      if (own.length > 0) this.#entries.set(owner, own);
      return entry;
    }
    return undefined;
  }

  /** Removes an entry without giving its owner a turn. */
  remove(owner: Owner, entry: Entry): void {
    const own = this.#entries.get(owner) ?? [];
    const at = own.indexOf(entry);
    if (at !== -1) this.#drop(owner, own, at);
  }

  /** Removes the latest entry of whoever has the largest number of them. */
  removeFromLongest(): Entry | undefined {
    const [longest] = [...this.#entries].sort(([, one], [, other]) => other.length - one.length);
    return longest && this.#drop(...longest, longest[1].length - 1);
  }

  #drop(owner: Owner, own: Entry[], at: number): Entry | undefined {
    const [entry] = own.splice(at, 1);
    this.#size -= 1;
    if (own.length === 0) this.#entries.delete(owner);
    return entry;
  }
}
