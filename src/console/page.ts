/** What every page of the console is. */
import type { FunctionComponent } from 'preact';
import type { IconName } from './components/icon.tsx';
import type { Words } from './words/words.ts';

export interface PageProps {
  /** Parts of the address, such as `id`. */
  readonly params: Readonly<Record<string, string | undefined>>;
}

export interface Page {
  /** Below `/console`, with parts such as `:id`. */
  readonly path: string;
  readonly title: (words: Words) => string;
  /** Where the navigation shows it; pages that others lead to have no place there. */
  readonly menu?: {
    readonly group: 'sales' | 'settings';
    readonly icon: IconName;
    readonly badge?: FunctionComponent;
  };
  /** Whether it is for admins alone; what it asks for, the service refuses to others anyway. */
  readonly isForAdmins?: true;
  /** Run when it is first opened. */
  readonly load: () => Promise<FunctionComponent<PageProps>>;
}
