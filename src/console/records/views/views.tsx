import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import {
  DeleteViewDocument,
  SavedViewsDocument,
  type SavedViewsQuery,
  SaveViewDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { isAdmin, who } from '../../api/who.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form_dialog.tsx';
import { attempt, tell } from '../../components/toast.tsx';
import { useForm } from '../../components/use_form.ts';
import { words } from '../../words/words.ts';

type View = SavedViewsQuery['saved_views'][number];

interface Props {
  /** The list, as the service calls it; its page has the same name. */
  readonly list: 'contacts' | 'deals' | 'board';
  readonly filters: Readonly<Record<string, string>>;
  /** The filters as they leave nothing out. */
  readonly defaults: Readonly<Record<string, string>>;
  /** What the list searches for. */
  readonly query: Readonly<Record<string, unknown>>;
}

/** Filters that are not as by default; the page is no part of a view. */
function chosen({ filters, defaults }: Pick<Props, 'filters' | 'defaults'>) {
  const entries = Object.entries(defaults)
    .filter(([name]) => name !== 'page')
    .map(([name, value]) => [name, filters[name] ?? value] as const)
    .filter(([name, value]) => value !== defaults[name]);
  return Object.fromEntries(entries);
}

const addressOf = (filters: Readonly<Record<string, unknown>>): string =>
  String(
    new URLSearchParams(Object.entries(filters).map(([name, value]) => [name, String(value)])),
  );

const sorted = (search: string): string => {
  const parameters = new URLSearchParams(search);
  parameters.sort();
  return String(parameters);
};

/** The views of a list that a person saved or that others share, and the way to save one. */
export function Views(props: Props) {
  const { views: texts, records, shell } = words.value;
  const { data, reload } = useAnswer(SavedViewsDocument, {});
  const [isSaving, setSaving] = useState(false);
  const [, navigate] = useLocation();
  const { list } = props;
  const views = (data?.saved_views ?? []).filter((view) => view.list === list);
  const current = addressOf(chosen(props));
  const isCurrent = (search: string) => sorted(search) === sorted(current);
  const shown = views.find((view) => isCurrent(addressOf(view.filters)));
  if (views.length === 0 && current === '') return null;
  const remove = (view: View) =>
    attempt(async () => {
      await ask(DeleteViewDocument, { id: view.id });
      await reload();
      const input = { ...view, user_id: undefined, id: undefined };
      tell(records.removed(view.name), async () => {
        await ask(SaveViewDocument, { input: { ...input, query: withoutBlanks(props.query) } });
        await reload();
      });
      navigate(`/${list}`);
    });
  return (
    <nav class="views" aria-label={texts.title}>
      <Link href={`/${list}`} aria-current={current === '' ? 'page' : undefined}>
        {records.all}
      </Link>
      {views.map((view) => {
        const search = addressOf(view.filters);
        return (
          <Link
            key={view.id}
            href={`/${list}?${search}`}
            aria-current={isCurrent(search) ? 'page' : undefined}
          >
            {view.name}
          </Link>
        );
      })}
      {shown && (shown.user_id === who.value?.me.user.id || isAdmin.value) && (
        <IconButton
          icon="remove"
          label={records.removeOf(shown.name)}
          onClick={() => remove(shown)}
        />
      )}
      {!shown && current !== '' && (
        <Button kind="quiet" icon="add" onClick={() => setSaving(true)}>
          {texts.save}
        </Button>
      )}
      {isSaving && (
        <SaveDialog
          save={async (name, shared) => {
            const input = {
              list,
              name,
              shared,
              filters: chosen(props),
              query: withoutBlanks(props.query),
            };
            await ask(SaveViewDocument, { input });
            await reload();
            tell(shell.saved);
          }}
          onClose={() => setSaving(false)}
        />
      )}
    </nav>
  );
}

/** A search without the conditions that ask for nothing. */
const withoutBlanks = (query: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(query).filter(([, value]) => value !== '' && value !== undefined),
  );

function SaveDialog({
  save,
  onClose,
}: {
  readonly save: (name: string, shared: boolean) => Promise<void>;
  readonly onClose: () => void;
}) {
  const { views: texts, records, shell } = words.value;
  const form = useForm({ name: '', shared: false }, async ({ name, shared }) => {
    await save(name, shared);
    onClose();
  });
  return (
    <FormDialog title={texts.save} form={form} action={shell.save} onClose={onClose}>
      <TextField {...form.field('name')} label={records.name} autoFocus />
      <Checkbox {...form.field('shared')} label={texts.share} />
    </FormDialog>
  );
}
