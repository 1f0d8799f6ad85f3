import { useState } from 'preact/hooks';
import { useLoad } from '../../api/use_load.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { words } from '../../words/words.ts';
import { AttributeField } from './attribute_field.tsx';
import { attributesInUse } from './attributes_in_use.ts';
import { type Choice, ChoiceRow } from './choice_row.tsx';
import {
  attributeColumn,
  attributeOf,
  columnsOf,
  columnsText,
  columnsToChoose,
  type ListColumns,
  type RowWithAttributes,
} from './columns.ts';

/** Custom attributes that are offered before somebody types their names, and suggested then. */
const max = 20;
const maxSuggested = 200;

/** Chooses and orders the columns of a list, which follows at once. */
export function ColumnsDialog<Row extends RowWithAttributes>({
  list,
  all,
  filters,
  change,
  onClose,
}: ListColumns<Row> & { readonly onClose: () => void }) {
  const { columns: texts, shell } = words.value;
  const [own, setOwn] = useState(() => choicesOf(all, filters.columns ?? ''));
  const [announcement, announce] = useState('');
  const { data: inUse = [] } = useLoad(() => attributesInUse(list), list);
  const choices = withAttributes(own, inUse.slice(0, max));
  const put = (next: readonly Choice[]) => {
    setOwn(next);
    const names = next.filter(({ isShown }) => isShown).map(({ name }) => name);
    change({ columns: columnsText(all, names) });
  };
  const show = (name: string, isShown: boolean) =>
    put(choices.map((choice) => (choice.name === name ? { ...choice, isShown } : choice)));
  const move = (choice: Choice, by: number) => {
    const to = choices.indexOf(choice) + by;
    if (to < 0 || to >= choices.length) return;
    put(choices.filter((other) => other !== choice).toSpliced(to, 0, choice));
    // The first column, which stays where it is, counts too.
    announce(texts.moved(choice.title, to + 2));
  };
  const add = (key: string) => {
    const name = attributeColumn(key);
    const others = choices.filter((choice) => choice.name !== name);
    put([...others, { name, title: key, isShown: true }]);
  };
  const reset = () => {
    setOwn(choicesOf(all, ''));
    change({ columns: '' });
  };
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <ol class="column-choices">
        {all.slice(0, 1).map(({ key, title }) => (
          <li key={key}>
            <Checkbox name={key} label={title} value={true} disabled onChange={() => {}} />
          </li>
        ))}
        {choices.map((choice, place) => (
          <ChoiceRow
            key={choice.name}
            choice={choice}
            isFirst={place === 0}
            isLast={place === choices.length - 1}
            onShow={(isShown) => show(choice.name, isShown)}
            onMove={(by) => move(choice, by)}
          />
        ))}
      </ol>
      <AttributeField inUse={inUse.slice(0, maxSuggested)} onAdd={add} />
      <p class="unseen" role="status">
        {announcement}
      </p>
      <div class="form-end">
        <Button kind="primary" onClick={onClose}>
          {shell.close}
        </Button>
        <Button onClick={reset}>{texts.asUsual}</Button>
      </div>
    </Dialog>
  );
}

/** The columns that are shown in their order, then the others. */
function choicesOf<Row extends RowWithAttributes>(
  all: ListColumns<Row>['all'],
  written: string,
): readonly Choice[] {
  const { shown } = columnsOf(all, written);
  const others = columnsToChoose(all).filter(
    ({ key }) => !shown.some((column) => column.key === key),
  );
  return [
    ...shown
      .slice(1)
      .filter(({ kind }) => kind !== 'actions')
      .map(({ key, title }) => ({ name: key, title, isShown: true })),
    ...others.map(({ key, title }) => ({ name: key, title, isShown: false })),
  ];
}

/** Custom attributes, too, that are not among the choices yet. */
function withAttributes(choices: readonly Choice[], keys: readonly string[]): readonly Choice[] {
  const known = new Set(choices.map(({ name }) => attributeOf(name)));
  const others = keys.filter((key) => key !== '' && !known.has(key));
  return [
    ...choices,
    ...others.map((key) => ({ name: attributeColumn(key), title: key, isShown: false })),
  ];
}
