import { UndoTokensDocument } from '../../../generated/console.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { usePeople } from '../../api/use_people.ts';
import { TextField } from '../../components/field.tsx';
import { type Option, Select } from '../../components/select.tsx';
import { momentOf } from '../../words/days.ts';
import { timeZone } from '../../words/format.ts';
import { words } from '../../words/words.ts';

/** Nothing is chosen. */
export const none = { token: '', person: '', request: '', from: '', to: '' } as const;

export type Choice = Readonly<Record<keyof typeof none, string>>;

/** Whether it says of whom. */
export const isNamed = ({ token, person, request }: Choice): boolean =>
  `${token}${person}${request}` !== '';

/** What the service is asked to take back. */
export function inputOf({ token, person, request, from, to }: Choice, dry_run: boolean) {
  const moment = (clock: string) => (clock === '' ? null : momentOf(clock, timeZone.value));
  return {
    token_id: token === '' ? null : Number(token),
    user_id: person === '' ? null : Number(person),
    request_id: request === '' ? null : request,
    after: moment(from),
    before: moment(to),
    dry_run,
  };
}

/** Whose changes, and of which time; kept in the address, so that others can lead here. */
export function ChoiceFields({
  choice,
  change,
}: {
  readonly choice: Choice;
  readonly change: (change: Partial<Choice>) => void;
}) {
  const { undo: texts, tokens } = words.value;
  const people = usePeople();
  const { data } = useAnswer(UndoTokensDocument, {});
  const named = (data?.tokens.data ?? []).map(({ id, name }) => ({
    value: String(id),
    text: `${name || tokens.nameless} (#${id})`,
  }));
  const bound = (name: keyof Choice) => ({
    name,
    value: choice[name],
    onChange: (value: string) => change({ [name]: value }),
    error: undefined,
  });
  return (
    <fieldset class="form">
      <Select
        {...bound('token')}
        label={tokens.token}
        options={optionsFor(choice.token, texts.any, named)}
      />
      <Select
        {...bound('person')}
        label={tokens.user}
        options={optionsFor(choice.person, texts.any, people.options)}
      />
      <TextField {...bound('request')} label={texts.request} hint={texts.requestHint} />
      <TextField {...bound('from')} label={texts.from} hint={texts.time} type="datetime-local" />
      <TextField {...bound('to')} label={texts.to} type="datetime-local" />
    </fieldset>
  );
}

/** With the one that is chosen, also where it is not among the first hundred. */
function optionsFor(value: string, any: string, known: readonly Option[]): readonly Option[] {
  const isKnown = value === '' || known.some((option) => option.value === value);
  return [{ value: '', text: any }, ...known, ...(isKnown ? [] : [{ value, text: `#${value}` }])];
}
