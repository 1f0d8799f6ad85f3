import { Link } from 'wouter-preact';
import { signOut } from '../api/session.ts';
import { who } from '../api/who.ts';
import { IconButton } from '../components/button.tsx';
import { attempt } from '../components/toast.tsx';
import { words } from '../words/words.ts';
import { isDark, toggleTheme } from './theme.ts';

/** Who is at work, and what concerns them alone. */
export function Person() {
  const { shell } = words.value;
  const user = who.value?.me.user;
  return (
    <div class="person">
      <Link href="/profile" title={user?.email}>
        {user?.full_name || user?.email}
      </Link>
      <IconButton
        icon={isDark() ? 'light' : 'dark'}
        label={isDark() ? shell.light : shell.dark}
        onClick={toggleTheme}
      />
      <IconButton icon="out" label={shell.signOut} onClick={() => attempt(signOut)} />
    </div>
  );
}
