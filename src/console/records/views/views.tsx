import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import {
  ChangeViewDocument,
  DeleteViewDocument,
  SaveViewDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { isAdmin, who } from '../../api/who.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form_dialog.tsx';
import { attempt, tell } from '../../components/toast.tsx';
import { useForm } from '../../components/use_form.ts';
import { words } from '../../words/words.ts';
import {
  addressOf,
  isShown,
  readViews,
  refreshViews,
  savedViews,
  searchOf,
  type View,
} from './saved_views.ts';

interface Props {
  /** The list, as the service calls it; its page has the same name. */
  readonly list: 'contacts' | 'deals' | 'products';
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

/** The views of a list that a person saved or that others share, and the way to save one. */
export function Views(props: Props) {
  const { views: texts, records, shell } = words.value;
  const [isSaving, setSaving] = useState(false);
  const [edited, setEdited] = useState<View>();
  const [, navigate] = useLocation();
  const { list } = props;
  useEffect(() => void refreshViews(), []);
  const views = savedViews.value.filter((view) => view.list === list);
  const current = searchOf(chosen(props));
  const shown = views.find((view) => isShown(view, current));
  const isWhole = Object.keys(chosen(props)).every((name) => name === 'columns');
  if (views.length === 0 && current === '') return null;
  const remove = (view: View) =>
    attempt(async () => {
      await ask(DeleteViewDocument, { id: view.id });
      await readViews();
      const input = { ...view, user_id: undefined, id: undefined };
      tell(records.removed(view.name), async () => {
        await ask(SaveViewDocument, { input: { ...input, query: withoutBlanks(props.query) } });
        await readViews();
      });
      navigate(addressOf(list, {}));
    });
  return (
    <nav class="views" aria-label={texts.title}>
      <div class="views-links">
        <Link href={addressOf(list, {})} aria-current={isWhole ? 'page' : undefined}>
          {records.all}
        </Link>
        {views.map((view) => (
          <Link
            key={view.id}
            href={addressOf(list, view.filters)}
            aria-current={view === shown ? 'page' : undefined}
          >
            {view.name}
          </Link>
        ))}
      </div>
      {shown && (shown.user_id === who.value?.me.user.id || isAdmin.value) && (
        <>
          <IconButton
            icon="edit"
            label={records.editOf(shown.name)}
            onClick={() => setEdited(shown)}
          />
          <IconButton
            icon="remove"
            label={records.removeOf(shown.name)}
            onClick={() => remove(shown)}
          />
        </>
      )}
      {edited && (
        <ViewDialog
          title={records.editOf(edited.name)}
          view={edited}
          save={async (name, shared) => {
            await ask(ChangeViewDocument, { id: edited.id, input: { name, shared } });
            await readViews();
            tell(shell.saved);
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
      {!shown && current !== '' && (
        <Button kind="quiet" icon="add" onClick={() => setSaving(true)}>
          {texts.save}
        </Button>
      )}
      {isSaving && (
        <ViewDialog
          title={texts.save}
          view={{ name: '', shared: false }}
          save={async (name, shared) => {
            const input = {
              list,
              name,
              shared,
              filters: chosen(props),
              query: withoutBlanks(props.query),
            };
            await ask(SaveViewDocument, { input });
            await readViews();
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

/** What a view is called, and who sees it. */
function ViewDialog({
  title,
  view,
  save,
  onClose,
}: {
  readonly title: string;
  readonly view: Pick<View, 'name' | 'shared'>;
  readonly save: (name: string, shared: boolean) => Promise<void>;
  readonly onClose: () => void;
}) {
  const { views: texts, records, shell } = words.value;
  const form = useForm({ name: view.name, shared: view.shared }, async ({ name, shared }) => {
    await save(name, shared);
    onClose();
  });
  return (
    <FormDialog title={title} form={form} action={shell.save} onClose={onClose}>
      <TextField {...form.field('name')} label={records.name} autoFocus />
      <Checkbox {...form.field('shared')} label={texts.share} />
    </FormDialog>
  );
}
