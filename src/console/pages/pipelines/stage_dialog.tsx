import type { StageInput } from '../../../generated/console.ts';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { type EditedRecord, useForm } from '../../components/use_form.ts';
import { words } from '../../words/words.ts';

/** Asks for what people say of a stage. */
export function StageDialog({
  title,
  of,
  save,
  onClose,
}: {
  readonly title: string;
  readonly of?: EditedRecord & { readonly name: string; readonly rests_after_days: number | null };
  /** @param sent of a stage that there is, what was changed */
  readonly save: (sent: StageInput, version?: string) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const { pipelines: texts, shell } = words.value;
  const initial = { name: of?.name ?? '', rests_after_days: String(of?.rests_after_days ?? '') };
  const form = useForm(
    initial,
    async (values, changed, version) => {
      const { rests_after_days: days, ...sent } = of ? changed : values;
      const input = days === undefined ? sent : { ...sent, rests_after_days: daysOf(days) };
      if (Object.keys(input).length > 0) await save(input, version);
      onClose();
    },
    of,
  );
  return (
    <Dialog title={title} onClose={onClose}>
      <Form form={form} action={shell.save}>
        <TextField {...form.field('name')} label={texts.name} autoFocus required />
        <TextField
          {...form.field('rests_after_days')}
          label={texts.restsAfter}
          hint={texts.restsAfterHint}
          inputMode="numeric"
        />
      </Form>
    </Dialog>
  );
}

/** What is no number is left to the service to refuse. */
const daysOf = (typed: string): number | null => {
  const text = typed.trim();
  if (text === '') return null;
  const days = Number(text);
  return Number.isInteger(days) ? days : 0;
};
