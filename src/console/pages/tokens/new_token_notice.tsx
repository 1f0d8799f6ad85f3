import { Link } from 'wouter-preact';
import { session } from '../../api/session.ts';
import { Copy } from '../../components/copy.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { words } from '../../words/words.ts';
import { tryOut } from './try_out.ts';

export interface IssuedToken {
  readonly token: string;
  readonly scopes: readonly string[];
}

/** A token that was just made: the only time that anybody sees it. */
export function NewTokenNotice({ token, scopes }: IssuedToken) {
  const { tokens: texts } = words.value;
  const command = tryOut(location, session.value?.account_id ?? 0, token, scopes);
  return (
    <>
      <PageHeader title={texts.issued} />
      <section class="card form">
        <p class="notice warn">{texts.once}</p>
        <Copy label={texts.token} text={token} />
        {command && <Copy label={texts.tryOut} text={command} />}
        <p>
          <Link href="/tokens">{texts.back}</Link>
        </p>
      </section>
    </>
  );
}
