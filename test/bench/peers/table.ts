/** What was measured of peers, as the table of the guide on performance. */
import type { Measure } from '../measure.ts';
import type { Peer } from './peer.ts';

/** @param how it was measured */
export const heading = (how: string): readonly string[] => [
  `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${how}`,
  '',
  '| | service | peer | ratio | p99 ratio | µs of Node | µs of PostgreSQL |',
  '|---|---|---|---|---|---|---|',
];

/** @param measures of the service and of the peer */
export function row(
  { name, version }: Peer,
  of: string,
  [ours, theirs]: readonly [Measure, Measure],
): string {
  const both = (field: 'node' | 'postgres') =>
    `${ours[field].toFixed(0)} : ${theirs[field].toFixed(0)}`;
  const cells = [
    `${name} ${version}: ${of}`,
    perSecond(ours.rate),
    perSecond(theirs.rate),
    (ours.rate / theirs.rate).toFixed(1),
    (ours.p99 / theirs.p99).toFixed(2),
    both('node'),
    both('postgres'),
  ];
  return `| ${cells.join(' | ')} |`;
}

const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`;
