import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { type EditedRecord, useForm } from '../../components/use_form.ts';
import { words } from '../../words/words.ts';

/** Asks for the name of a pipeline or a stage. */
export function NameDialog({
  title,
  of,
  save,
  onClose,
}: {
  readonly title: string;
  /** What has a name already. */
  readonly of?: EditedRecord & { readonly name: string };
  readonly save: (name: string, version?: string) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const { pipelines: texts, shell } = words.value;
  const form = useForm(
    { name: of?.name ?? '' },
    async ({ name }, changed, version) => {
      if (!of || changed.name !== undefined) await save(name, version);
      onClose();
    },
    of,
  );
  return (
    <Dialog title={title} onClose={onClose}>
      <Form form={form} action={shell.save}>
        <TextField {...form.field('name')} label={texts.name} autoFocus required />
      </Form>
    </Dialog>
  );
}
