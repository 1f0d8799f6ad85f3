import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { CreateTokenDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { usePeople } from '../../api/use_people.ts';
import { isAdmin, who } from '../../api/who.ts';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { Select } from '../../components/select.tsx';
import { useForm } from '../../components/use_form.ts';
import { words } from '../../words/words.ts';
import { type IssuedToken, NewTokenNotice } from './new_token_notice.tsx';
import { ScopeFields } from './scope_fields.tsx';
import { type Extent, noRights, scopesOf } from './scopes.ts';

const lifetimes = ['30d', '90d', '365d', 'never'] as const;

/** Makes a token, and shows it this once. */
export function NewTokenPage() {
  const { tokens: texts } = words.value;
  const people = usePeople();
  const [issued, setIssued] = useState<IssuedToken>();
  const initial = {
    name: '',
    user_id: String(who.value?.me.user.id ?? ''),
    expires_in: '90d',
    scopes: 'all' as Extent,
    rights: noRights,
  };
  const form = useForm(initial, async ({ name, user_id, expires_in, scopes, rights }) => {
    const given = scopesOf(scopes, rights);
    const input = { name, expires_in, scopes: given, user_id: Number(user_id) };
    const { create_token } = await ask(CreateTokenDocument, { input });
    setIssued({ token: create_token.access_token, scopes: given });
  });
  if (issued) return <NewTokenNotice {...issued} />;
  return (
    <>
      <PageHeader title={texts.add} about={texts.aboutNew} />
      <section class="card">
        <Form form={form} action={texts.make} more={<Link href="/tokens">{texts.back}</Link>}>
          <TextField
            {...form.field('name')}
            label={texts.name}
            hint={texts.nameHint}
            autoFocus
            required
          />
          {isAdmin.value && people.options.length > 1 && (
            <Select
              {...form.field('user_id')}
              label={texts.user}
              hint={texts.userHint}
              options={people.options}
            />
          )}
          <ScopeFields extent={form.field('scopes')} rights={form.field('rights')} />
          <Select
            {...form.field('expires_in')}
            label={texts.lifetime}
            hint={texts.lifetimeHint}
            options={lifetimes.map((value) => ({ value, text: texts.lifetimes[value] }))}
          />
        </Form>
      </section>
    </>
  );
}
