import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Filters } from '../../components/filters.tsx';
import { type Option, Select } from '../../components/select.tsx';
import { words } from '../../words/words.ts';

/** All entries. */
export const none = {
  person: '',
  action: '',
  type: '',
  record: '',
  request: '',
  from: '',
  to: '',
} as const;

type Name = keyof typeof none;

/** Which entries are shown; changed at once, and kept in the address. */
export function AuditFilters({
  filters,
  change,
  people,
}: {
  readonly filters: Readonly<Record<Name, string>>;
  readonly change: (change: Readonly<Partial<Record<Name, string>>>) => void;
  readonly people: readonly Option[];
}) {
  const { audit: texts } = words.value;
  const bound = (name: Name) => ({
    name,
    value: filters[name],
    onChange: (value: string) => change({ [name]: value }),
    error: undefined,
  });
  const any = { value: '', text: texts.any };
  const isAny = Object.entries(none).some(([name, value]) => filters[name as Name] !== value);
  return (
    <Filters filters={filters} none={none}>
      <Select {...bound('person')} label={texts.person} options={[any, ...people]} />
      <Select
        {...bound('action')}
        label={texts.action}
        options={[any, ...optionsOf(texts.verbs, '.')]}
      />
      <Select {...bound('type')} label={texts.type} options={[any, ...optionsOf(texts.types)]} />
      <TextField {...bound('record')} label={texts.record} inputMode="numeric" />
      <TextField {...bound('request')} label={texts.byRequest} />
      <TextField {...bound('from')} label={texts.from} type="date" />
      <TextField {...bound('to')} label={texts.to} type="date" />
      {isAny && <Button onClick={() => change(none)}>{texts.clear}</Button>}
    </Filters>
  );
}

const optionsOf = (texts: Readonly<Record<string, string>>, prefix = ''): readonly Option[] =>
  Object.entries(texts).map(([name, text]) => ({ value: prefix + name, text }));
