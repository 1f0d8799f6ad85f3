import { PeopleDocument } from '../../generated/console.ts';
import type { Option } from '../components/select.tsx';
import { useAnswer } from './use_answer.ts';

interface Person {
  readonly id: number;
  readonly full_name: string;
  readonly email: string;
}

/** What a person is called. */
export const nameOf = ({ full_name, email }: Omit<Person, 'id'>): string => full_name || email;

export interface People {
  /** To choose one of, by id. */
  readonly options: readonly Option[];
  /** What a user is called; their number when they are gone. */
  readonly named: (id: number) => string;
}

/** The first hundred people of the account. */
export function usePeople(): People {
  const { data } = useAnswer(PeopleDocument, {});
  const people: readonly Person[] = data?.users.data ?? [];
  const names = new Map(people.map((person) => [person.id, nameOf(person)]));
  return {
    options: people.map((person) => ({ value: String(person.id), text: nameOf(person) })),
    named: (id) => names.get(id) ?? `#${id}`,
  };
}
