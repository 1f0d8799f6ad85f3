/** The process that asks: it takes its orders from the one that measures, and tells it the news. */
import { type Load, run } from './load.ts';

process.on('message', (load: Load) => {
  void run(load, (news) => process.send?.(news));
});
// Nobody would stop it when that one is gone.
process.on('disconnect', () => process.exit());
