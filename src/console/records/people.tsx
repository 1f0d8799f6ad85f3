import { nameOf } from './choices.ts';

interface Assignee {
  readonly user: { readonly full_name: string; readonly email: string };
}

/** The first letters of a name's first and last word. */
function initialsOf(name: string): string {
  const parts = name.split(/\s+/).filter(Boolean);
  const letters = [parts[0], parts.length > 1 ? parts.at(-1) : ''];
  return letters.map((part) => [...(part ?? '')][0] ?? '').join('');
}

/** Who works on a deal, by their initials. */
export const People = ({
  assignees,
  count,
}: {
  readonly assignees: readonly Assignee[];
  /** How many there are in all. */
  readonly count: number;
}) => (
  <span class="people">
    {assignees.slice(0, 3).map(({ user }) => (
      <abbr key={user.email} title={nameOf(user)}>
        {initialsOf(nameOf(user))}
      </abbr>
    ))}
    {count > 3 && <span class="soft">+{count - 3}</span>}
  </span>
);
