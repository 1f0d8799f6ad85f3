import type { ComponentChildren } from 'preact';

/** Instead of an empty list: what belongs here, and the first step. */
export const Empty = ({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}) => (
  <div class="empty">
    <h2>{title}</h2>
    {children && <p>{children}</p>}
    {action}
  </div>
);
