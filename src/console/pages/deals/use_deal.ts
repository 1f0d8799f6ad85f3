import {
  DealDocument,
  type DealInput,
  type DealQuery,
  UpdateDealDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { useAnswer } from '../../api/use_answer.ts';
import type { Loading } from '../../api/use_load.ts';
import { attempt, tell } from '../../components/toast.tsx';

export type Deal = DealQuery['deal'];

/** A deal, and what is done to it on its page. */
export interface Work {
  readonly deal: Deal;
  /**
   * Does something to the deal and shows what became of it; says in a sentence that it was done.
   * @returns whether it was done
   */
  readonly act: (
    action: () => Promise<unknown>,
    said: string,
    undo?: () => Promise<unknown>,
  ) => Promise<boolean>;
  /**
   * Changes fields, of any version of the deal unless one is given.
   * @throws {Refusal} what the service refused
   */
  readonly update: (input: DealInput, version?: string) => Promise<void>;
  /** Shows the deal as it is now. */
  readonly reload: () => Promise<void>;
}

export const useDeal = (id: number): Loading<DealQuery> => useAnswer(DealDocument, { id });

export function workOn(deal: Deal, reload: () => Promise<void>): Work {
  const run = async (action: () => Promise<unknown>) => {
    await action();
    await reload();
  };
  return {
    deal,
    act: async (action, said, undo) => {
      const isDone = await attempt(() => run(action));
      if (isDone) tell(said, undo && (() => run(undo)));
      return isDone;
    },
    reload,
    update: (input, version) => run(() => ask(UpdateDealDocument, { id: deal.id, input, version })),
  };
}
