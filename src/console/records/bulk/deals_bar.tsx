import { words } from '../../words/words.ts';
import { type Offering, stageOptions, userOptions } from '../choices.ts';
import { statusOptions } from '../status.tsx';
import { BulkBar, BulkChoice, type BulkScope } from './bar.tsx';
import { assignDeals, closeDeals, deleteDeals, handDealsOver, moveDeals } from './deals.ts';

/** What can be done with several deals. */
export function DealsBar({ choices: data, ...listed }: BulkScope & Offering) {
  const { bulk, records } = words.value;
  return (
    <BulkBar {...listed} records="deals" remove={deleteDeals}>
      {(act) => (
        <>
          <BulkChoice
            label={records.stage}
            options={data ? stageOptions(data) : []}
            onChoose={(id) => act((query) => moveDeals(query, Number(id)))}
          />
          <BulkChoice
            label={bulk.assign}
            options={data ? userOptions(data) : []}
            onChoose={(id) => act((query) => assignDeals(query, Number(id)))}
          />
          <BulkChoice
            label={bulk.handOver}
            options={data ? userOptions(data) : []}
            onChoose={(id) => act((query) => handDealsOver(query, Number(id)))}
          />
          <BulkChoice
            label={records.status}
            options={statusOptions()}
            onChoose={(status) => act((query) => closeDeals(query, status))}
          />
        </>
      )}
    </BulkBar>
  );
}
