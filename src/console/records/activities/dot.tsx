import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { formatMoment } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { standingOf } from './plan.ts';

/** The next thing to be done with a record, as its `next` has it. */
export interface NextActivity {
  readonly title: string;
  readonly scheduled_at: string | null;
}

/**
 * What is to be done with a record, and when.
 * @param format of the moment
 */
export const stepText = (
  { title, scheduled_at }: NextActivity,
  format: (moment: string) => string,
): string =>
  [scheduled_at && format(scheduled_at), title || words.value.activities.untitled]
    .filter(Boolean)
    .join(' · ');

/** Whether something is planned with a record, and how late it is: by colour and form, and in words. */
export function ActivityDot({ next: [first] }: { readonly next: readonly NextActivity[] }) {
  const { standings } = words.value.activities;
  const standing = first ? standingOf(first.scheduled_at) : 'nothing';
  const when = first?.scheduled_at ? formatMoment(first.scheduled_at) : '';
  const text = [standings[standing], first?.title, when].filter(Boolean).join(' · ');
  return <span class={`dot ${standing}`} role="img" aria-label={text} title={text} />;
}

/**
 * The way to a record, with its dot before it on the same line, however long its name is.
 * @param next undefined where nothing is to be done with it any more
 */
export function DotLink({
  next,
  href,
  children,
}: {
  readonly next: readonly NextActivity[] | undefined;
  readonly href: string;
  readonly children: ComponentChildren;
}) {
  return (
    <span class="dot-link">
      {next && <ActivityDot next={next} />}
      <Link class="two-lines" href={href}>
        {children}
      </Link>
    </span>
  );
}
