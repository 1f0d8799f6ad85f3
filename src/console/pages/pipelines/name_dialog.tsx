import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useForm } from '../../components/use_form.ts';
import { words } from '../../words/words.ts';

/** Asks for the name of a pipeline or a stage. */
export function NameDialog({
  title,
  name = '',
  save,
  onClose,
}: {
  readonly title: string;
  /** The one it has. */
  readonly name?: string;
  readonly save: (name: string) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const { pipelines: texts, shell } = words.value;
  const form = useForm({ name }, async (values, changed) => {
    if (name === '' || changed.name !== undefined) await save(values.name);
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <Form form={form} action={shell.save}>
        <TextField {...form.field('name')} label={texts.name} autoFocus required />
      </Form>
    </Dialog>
  );
}
