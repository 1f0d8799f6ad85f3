/** The process of an onlooker: it is told what to fetch and when to end, and says what it noticed. */
import { once } from 'node:events';
import { type Fetched, fetchAgain } from './requests.ts';

process.on('message', async (told: Fetched | 'end') => {
  if (told === 'end') return;
  const end = once(process, 'message');
  process.send?.(await fetchAgain(told, end));
});
// Nobody would stop it when the one that forked it is gone.
process.on('disconnect', () => process.exit());
