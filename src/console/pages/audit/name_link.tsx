import { Link } from 'wouter-preact';
import type { NamedRecord } from '../../records/record_names.ts';

/** What a record is called, and the way to it. */
export const NameLink = ({ named: { name, href } }: { readonly named: NamedRecord }) => (
  <Link href={href}>
    <bdi>{name}</bdi>
  </Link>
);
