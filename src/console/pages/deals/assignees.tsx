import { AssignDealDocument, UnassignDealDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { IconButton } from '../../components/button.tsx';
import { Select } from '../../components/select.tsx';
import { nameOf, useChoices, userOptions } from '../../records/choices.ts';
import { words } from '../../words/words.ts';
import type { Work } from './use_deal.ts';

/** Who works on the deal. */
export function Assignees({ deal, act }: Work) {
  const { deals: texts, shell } = words.value;
  const { data } = useChoices();
  const assigned = new Set(deal.deal_assignees.map(({ user }) => String(user.id)));
  const others = (data ? userOptions(data) : []).filter(({ value }) => !assigned.has(value));
  const assign = (userId: number) =>
    ask(AssignDealDocument, { input: { deal_id: deal.id, user_id: userId } });
  return (
    <section class="card">
      <h2>{texts.assignees}</h2>
      <ul class="rows">
        {deal.deal_assignees.map(({ id, user }) => (
          <li key={id}>
            <div>{nameOf(user)}</div>
            <IconButton
              icon="close"
              label={texts.unassign(nameOf(user))}
              onClick={() =>
                act(
                  () => ask(UnassignDealDocument, { id }),
                  texts.unassigned(nameOf(user)),
                  () => assign(user.id),
                )
              }
            />
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <Select
          name="assignee"
          label={texts.assign}
          value=""
          options={[{ value: '', text: '' }, ...others]}
          onChange={(value) => {
            if (value) void act(() => assign(Number(value)), shell.saved);
          }}
          error={undefined}
        />
      )}
    </section>
  );
}
