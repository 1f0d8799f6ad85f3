import { useLocation } from 'wouter-preact';
import { DeleteUserDocument, type UserDetailsFragment } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { nameOf, usePeople } from '../../api/use_people.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { Select } from '../../components/select.tsx';
import { tell } from '../../components/toast.tsx';
import { useForm } from '../../components/use_form.ts';
import { words } from '../../words/words.ts';

/** Removes somebody who leaves, and hands their deals over. */
export function RemovalDialog({
  user,
  onClose,
}: {
  readonly user: UserDetailsFragment;
  readonly onClose: () => void;
}) {
  const { users: texts } = words.value;
  const [, navigate] = useLocation();
  const { options } = usePeople();
  const others = options.filter(({ value }) => value !== String(user.id));
  const form = useForm({ reassign_to: '' }, async ({ reassign_to }) => {
    const heir = reassign_to === '' ? {} : { reassign_to: Number(reassign_to) };
    await ask(DeleteUserDocument, { id: user.id, ...heir });
    tell(texts.removed(nameOf(user)));
    navigate('/users');
  });
  return (
    <Dialog title={texts.removeOne(nameOf(user))} onClose={onClose}>
      <p>{texts.removeWhat}</p>
      <Form form={form} action={texts.remove} isDangerous>
        <Select
          {...form.field('reassign_to')}
          label={texts.heir}
          hint={form.values.reassign_to === '' ? texts.noHeirHint : texts.heirHint}
          options={[{ value: '', text: texts.noHeir }, ...others]}
        />
      </Form>
    </Dialog>
  );
}
