import type { Option } from '../../components/select.tsx';
import { words } from '../../words/words.ts';

export function roleOptions(): readonly Option[] {
  const { roles } = words.value.users;
  return [
    { value: 'member', text: roles.member },
    { value: 'admin', text: roles.admin },
  ];
}

/** Each by its own name, for whoever is to find theirs. */
export const languageOptions: readonly Option[] = [
  { value: 'en', text: 'English' },
  { value: 'pt-BR', text: 'Português (Brasil)' },
  { value: 'es', text: 'Español' },
  { value: 'de', text: 'Deutsch' },
];
