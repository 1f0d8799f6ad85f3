/** Labels of a contact, each leading to those that have it. */
import { Link } from 'wouter-preact';

/** @param max of more than these only the number is shown, and which they are on hovering */
export function Labels({
  labels,
  max = Number.POSITIVE_INFINITY,
}: {
  readonly labels: readonly string[];
  readonly max?: number;
}) {
  const others = labels.slice(max);
  return (
    <span class="labels">
      {labels.slice(0, max).map((label) => (
        <Link key={label} class="badge" href={`/contacts?${new URLSearchParams({ label })}`}>
          {label}
        </Link>
      ))}
      {others.length > 0 && <abbr title={others.join(', ')}>+{others.length}</abbr>}
    </span>
  );
}
