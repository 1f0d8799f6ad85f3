import { authorize, readId } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context.ts';
import { retrying } from '../../db/retrying.ts';
import { sql } from '../../db/sql.ts';
import { auditEntry } from '../audit/entry.ts';
import { lastState, type Remove } from '../kernel/write.ts';
import { closeStagePlace, refuseWithDeals } from './place.ts';
import { stages } from './record.ts';
import { lockStage } from './update.ts';

/**
 * Removes a stage that holds no deal; those after it move up.
 * @throws {Fault} FORBIDDEN for all but admins; NOT_FOUND; VALIDATION_FAILED while it holds deals
 */
export const deleteStage: Remove = async (ctx, account, id) => {
  authorize(ctx.viewer, account, 'stage.delete');
  const stageId = readId(id);
  return retrying(() => ctx.db.transaction((db) => remove({ ...ctx, db }, stageId)));
};

async function remove(ctx: UnitOfWork, id: number): Promise<{ id: number }> {
  const { stage } = await lockStage(ctx, id);
  refuseWithDeals([stage]);
  await ctx.db.query(
    sql`WITH ${closeStagePlace(ctx, stage.pipeline_id, stage.position)}, gone AS (
        DELETE FROM stages WHERE account_id = ${ctx.viewer.accountId} AND id = ${id} RETURNING *
      )
      ${auditEntry(ctx, 'stage.delete', 'gone', { before: lastState(stages), after: null })}`,
    { named: true },
  );
  return { id };
}
