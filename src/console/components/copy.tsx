import { useState } from 'preact/hooks';
import { words } from '../words/words.ts';
import { Button } from './button.tsx';

/** A text to take along, and the button that copies it. */
export function Copy({ label, text }: { readonly label: string; readonly text: string }) {
  const { shell } = words.value;
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <figure class="copy">
      <figcaption>{label}</figcaption>
      <code>{text}</code>
      <Button icon={isCopied ? 'done' : 'copy'} onClick={copy}>
        {isCopied ? shell.copied : shell.copy}
      </Button>
    </figure>
  );
}
