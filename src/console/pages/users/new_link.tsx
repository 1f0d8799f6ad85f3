import { useState } from 'preact/hooks';
import { CreateSignInLinkDocument, type LinkFragment } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { attempt } from '../../components/toast.tsx';
import { words } from '../../words/words.ts';
import { LinkNotice } from './link_notice.tsx';

/** Makes a link for somebody, which ends the one before, and shows it. */
export function NewLink({
  userId,
  of,
}: {
  readonly userId: number;
  /** Who it is for, where the page does not say. */
  readonly of?: string;
}) {
  const { users: texts } = words.value;
  const [link, setLink] = useState<LinkFragment>();
  const make = () =>
    attempt(async () => {
      const answer = await ask(CreateSignInLinkDocument, { user_id: userId });
      setLink(answer.create_sign_in_link);
    });
  return (
    <>
      <Button onClick={make} {...(of && { 'aria-label': `${texts.newLink}: ${of}` })}>
        {texts.newLink}
      </Button>
      {link && (
        <Dialog title={texts.newLink} onClose={() => setLink(undefined)}>
          <LinkNotice link={link} />
        </Dialog>
      )}
    </>
  );
}
