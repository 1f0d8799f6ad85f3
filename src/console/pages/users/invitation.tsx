import { useState } from 'preact/hooks';
import { InviteUserDocument, type LinkFragment } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { Select } from '../../components/select.tsx';
import { useForm } from '../../components/use_form.ts';
import { language, words } from '../../words/words.ts';
import { LinkNotice } from './link_notice.tsx';
import { languageOptions, roleOptions } from './options.ts';

/** Adds somebody to the account, and shows the link to hand over. */
export function InvitationDialog({
  onInvited,
  onClose,
}: {
  readonly onInvited: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { users: texts } = words.value;
  const [link, setLink] = useState<LinkFragment>();
  const initial = { email: '', full_name: '', role: 'member', language: String(language.value) };
  const form = useForm(initial, async (input) => {
    const { invite_user } = await ask(InviteUserDocument, { input });
    setLink(invite_user.link);
    await onInvited();
  });
  if (link) {
    return (
      <Dialog title={texts.invited(form.values.full_name || form.values.email)} onClose={onClose}>
        <LinkNotice link={link} />
      </Dialog>
    );
  }
  return (
    <Dialog title={texts.invite} onClose={onClose}>
      <Form form={form} action={texts.makeLink}>
        <TextField
          {...form.field('email')}
          label={texts.email}
          type="email"
          autocomplete="off"
          autoFocus
          required
        />
        <TextField {...form.field('full_name')} label={texts.name} autocomplete="off" />
        <Select
          {...form.field('role')}
          label={texts.role}
          hint={texts.roleHint}
          options={roleOptions()}
        />
        <Select {...form.field('language')} label={texts.language} options={languageOptions} />
      </Form>
    </Dialog>
  );
}
