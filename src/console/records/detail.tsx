import type { ComponentChildren } from 'preact';

/** A field of a record within a `dl`; one that says nothing is shown as a dash. */
export const Detail = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) => (
  <div>
    <dt>{title}</dt>
    <dd>{children || '–'}</dd>
  </div>
);
