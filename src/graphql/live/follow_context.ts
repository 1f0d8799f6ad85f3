import type { Context } from '../../context/context.ts';
import type { Change } from '../../resources/changes/page.ts';

/** The context of a run that shows a change. */
export interface FollowContext extends Context {
  /** @param args the arguments of the field */
  readonly follow: (args: Readonly<Record<string, unknown>>) => Change | Promise<Change>;
}
