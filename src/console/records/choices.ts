/** What records may refer to and be filtered by: few of each, so that they are offered as lists. */
import { ChoicesDocument, type ChoicesQuery } from '../../generated/console.ts';
import { ask } from '../api/ask.ts';
import { useAnswer } from '../api/use_answer.ts';
import type { Loading } from '../api/use_load.ts';
import type { Option } from '../components/select.tsx';
import { words } from '../words/words.ts';

/** What parts of a page are given that offer them. */
export interface Offering {
  /** Undefined until they are here. */
  readonly choices: ChoicesQuery | undefined;
}

export type Pipeline = ChoicesQuery['all_pipelines']['data'][number];

interface Person {
  readonly full_name: string;
  readonly email: string;
}

const sorted = { people: { s: 'full_name' } };

export const useChoices = (): Loading<ChoicesQuery> => useAnswer(ChoicesDocument, sorted);

export const askChoices = (): Promise<ChoicesQuery> => ask(ChoicesDocument, sorted);

/** The id of the stage at which deals begin: in a pipeline, or in the first of them. */
export function firstStageIn({ all_pipelines }: ChoicesQuery, pipeline?: string): string {
  const { data } = all_pipelines;
  const [first] = (data.find(({ id }) => String(id) === pipeline) ?? data[0])?.stages ?? [];
  return String(first?.id ?? '');
}

export const nameOf = ({ full_name, email }: Person): string => full_name || email;

const option = (id: number, text: string): Option => ({ value: String(id), text });

export const pipelineOptions = ({ all_pipelines }: ChoicesQuery): readonly Option[] =>
  all_pipelines.data.map(({ id, name }) => option(id, name));

/** Stages in order, with their pipeline's name where there are several pipelines. */
export function stageOptions({ all_pipelines: { data } }: ChoicesQuery): readonly Option[] {
  return data.flatMap((pipeline) =>
    pipeline.stages.map(({ id, name }) =>
      option(id, data.length > 1 ? `${pipeline.name} · ${name}` : name),
    ),
  );
}

export const userOptions = ({ users }: ChoicesQuery): readonly Option[] =>
  users.data.map((user) => option(user.id, nameOf(user)));

/** Owners to filter by: anybody, oneself, and everybody else by name. */
export const ownerOptions = (choices: ChoicesQuery | undefined): readonly Option[] => [
  { value: '', text: words.value.records.anybody },
  { value: 'me', text: words.value.activities.mine },
  ...(choices ? userOptions(choices) : []),
];

export const labelOptions = ({ labels }: ChoicesQuery): readonly Option[] =>
  labels.data.map(({ label }) => ({ value: label, text: label }));
