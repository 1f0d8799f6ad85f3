/** The process that sends requests: it takes its orders from the one that measures, and reports to it. */
import { type Load, run } from './load.ts';

process.on('message', (load: Load) => {
  void run(load, (news) => process.send?.(news));
});
// Nobody would stop it when that one is gone.
process.on('disconnect', () => process.exit());
