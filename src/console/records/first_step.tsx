import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { Empty } from '../components/empty.tsx';
import { words } from '../words/words.ts';

/** Instead of an account's first record: how to make it here, and that an integration can. */
export const FirstStep = ({
  title,
  why,
  create,
}: {
  readonly title: string;
  readonly why: string;
  readonly create: ComponentChildren;
}) => {
  const { records } = words.value;
  return (
    <Empty title={title} action={create}>
      {why} {records.overTheApi} <Link href="/tokens">{records.createToken}</Link>
    </Empty>
  );
};
