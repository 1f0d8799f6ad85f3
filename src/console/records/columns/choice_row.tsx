import { IconButton } from '../../components/button.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { words } from '../../words/words.ts';
import { attributeOf } from './columns.ts';

/** A column that may be shown. */
export interface Choice {
  readonly name: string;
  readonly title: string;
  readonly isShown: boolean;
}

/** One column: shown or not, and moved by its buttons, which take arrow keys too. */
export function ChoiceRow({
  choice: { name, title, isShown },
  isFirst,
  isLast,
  onShow,
  onMove,
}: {
  readonly choice: Choice;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onShow: (isShown: boolean) => void;
  /** @param by one place up or down */
  readonly onMove: (by: -1 | 1) => void;
}) {
  const { columns: texts } = words.value;
  const move = (button: HTMLButtonElement, by: -1 | 1) => {
    onMove(by);
    // What is put elsewhere in the page loses the focus.
    requestAnimationFrame(() => button.focus());
  };
  const button = (by: -1 | 1, isEnd: boolean) => (
    <IconButton
      icon={by < 0 ? 'up' : 'down'}
      label={by < 0 ? texts.up(title) : texts.down(title)}
      aria-disabled={isEnd}
      onClick={({ currentTarget }) => move(currentTarget, by)}
      onKeyDown={(event) => {
        const to = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined;
        if (!to) return;
        event.preventDefault();
        move(event.currentTarget, to);
      }}
    />
  );
  return (
    <li>
      <Checkbox
        name={name}
        label={title}
        hint={attributeOf(name) !== undefined && texts.attribute}
        value={isShown}
        onChange={onShow}
      />
      {button(-1, isFirst)}
      {button(1, isLast)}
    </li>
  );
}
