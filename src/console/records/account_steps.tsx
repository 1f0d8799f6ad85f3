import { Link } from 'wouter-preact';
import { isAdmin, who } from '../api/who.ts';
import { words } from '../words/words.ts';

/** What an admin of a new account has yet to do beside its first records, as items of a list. */
export function AccountSteps() {
  const { board } = words.value;
  const { account } = who.value ?? {};
  if (!isAdmin.value || !account) return null;
  const isPlaced = account.currency && account.default_country && account.time_zone;
  return (
    <>
      {!isPlaced && (
        <li>
          <Link href="/account">{board.firstPlace}</Link>
        </li>
      )}
      <li>
        <Link href="/users">{board.firstPeople}</Link>
      </li>
    </>
  );
}
