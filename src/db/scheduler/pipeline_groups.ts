/** Which statements share a connection. */

/** At most this many of one account share a connection with those of others, which wait for them. */
const maxAmongOthers = 2;

/** A statement, and whose it is. */
interface AccountStatement {
  readonly account: number | undefined;
}

/**
 * Divides the statements of one kind and turn into groups, each of which shares a connection.
 * @param max how many a group may have, rounded up
 */
export function groupsOf<T extends AccountStatement>(alike: readonly T[], max: number): T[][] {
  const groups: T[][] = [];
  let group: T[] = [];
  for (const one of alike) {
    if (group.length > 0 && group.length < max && mayJoin(group, one)) {
      group.push(one);
    } else {
      group = [one];
      groups.push(group);
    }
  }
  return groups;
}

/** Whether a statement may join a group without making other accounts wait for too many of its account. */
function mayJoin(others: readonly AccountStatement[], { account }: AccountStatement): boolean {
  const own = others.filter((other) => other.account === account).length;
  if (own === others.length) return true;
  const first = others[0]?.account;
  const isMixed = others.some((other) => other.account !== first);
  return own < maxAmongOthers && (isMixed || others.length <= maxAmongOthers);
}
