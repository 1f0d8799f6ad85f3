import { Link } from 'wouter-preact';
import { Empty } from '../components/empty.tsx';
import { words } from '../words/words.ts';

/** An address without a page, or with one that this person may not see. */
export function NotFound() {
  const { shell } = words.value;
  return (
    <Empty title={shell.notFound} action={<Link href="/">{shell.toStart}</Link>}>
      {shell.whyNotFound}
    </Empty>
  );
}
