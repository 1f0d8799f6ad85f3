/** Labels of a contact, each leading to those that have it. */
import { Link } from 'wouter-preact';

export const Labels = ({ labels }: { readonly labels: readonly string[] }) => (
  <span class="labels">
    {labels.map((label) => (
      <Link key={label} class="badge" href={`/contacts?${new URLSearchParams({ label })}`}>
        {label}
      </Link>
    ))}
  </span>
);
