import { useId, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { MergeContactsDocument, TakeBackMergeDocument } from '../../../generated/console.ts';
import { ask, askTraced } from '../../api/ask.ts';
import { isAdmin } from '../../api/who.ts';
import { Button } from '../../components/button.tsx';
import { attempt, tell, tellForLong } from '../../components/toast.tsx';
import { contactName } from '../../records/contact_name.ts';
import { formatDay } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import {
  type Choice,
  type Contact,
  type Duplicates,
  type Field,
  fields,
  inputOf,
  isUnited,
  usual,
} from './choice.ts';

/** Contacts side by side: of each field one value is chosen, and then they become one. */
export function Group({
  group: { contacts, reasons },
  reload,
}: {
  readonly group: Duplicates;
  readonly reload: () => Promise<void>;
}) {
  const { duplicates: texts } = words.value;
  const [oldest] = contacts;
  const [choice, choose] = useState(() => usual(contacts, oldest?.id ?? 0));
  const [isBusy, setBusy] = useState(false);
  const merge = async () => {
    setBusy(true);
    await attempt(async () => {
      const input = inputOf(contacts, choice);
      const { data, request } = await askTraced(MergeContactsDocument, { id: choice.into, input });
      const text = texts.merged(contacts.length, contactName(data.merge_contacts));
      const takeBack = async () => {
        await ask(TakeBackMergeDocument, { input: { request_id: request } });
        await reload();
      };
      // Taking back what others may have built on is for admins.
      if (isAdmin.value) tellForLong(text, takeBack);
      else tell(text);
      await reload();
    });
    setBusy(false);
  };
  const title = useId();
  return (
    <article class="card duplicates" aria-labelledby={title}>
      <header>
        <h2 id={title} class="unseen">
          {texts.group(contacts.map(contactName).join(', '))}
        </h2>
        <p class="labels">
          {reasons.map((reason) => (
            <span key={reason} class="badge">
              {texts.reasons[reason]}
            </span>
          ))}
        </p>
        <Button isBusy={isBusy} onClick={merge}>
          {texts.merge}
        </Button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is wide is scrolled by keys, too */}
      <section class="table-frame" aria-labelledby={title} tabIndex={0}>
        <Comparison contacts={contacts} choice={choice} choose={choose} />
      </section>
    </article>
  );
}

interface Props {
  readonly contacts: readonly Contact[];
  readonly choice: Choice;
  readonly choose: (choice: Choice) => void;
}

function Comparison({ contacts, choice, choose }: Props) {
  const { duplicates: texts } = words.value;
  const name = useId();
  return (
    <table style={{ '--contacts': contacts.length }}>
      <thead>
        <tr>
          <th scope="row">{texts.stays}</th>
          {contacts.map((contact) => (
            <th key={contact.id} scope="col">
              <label class="choice">
                <input
                  type="radio"
                  name={name}
                  aria-label={texts.stay(`${contactName(contact)} (${contact.id})`)}
                  checked={choice.into === contact.id}
                  onChange={() => choose(usual(contacts, contact.id))}
                />
                <span>
                  <Link href={`/contacts/${contact.id}`}>{contactName(contact)}</Link>
                  <small>{formatDay(contact.created_at)}</small>
                </span>
              </label>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <Row key={field} field={field} contacts={contacts} choice={choice} choose={choose} />
        ))}
        <tr>
          <th scope="row">{words.value.deals.title}</th>
          {contacts.map(({ id, deals_count }) => (
            <td key={id}>{deals_count}</td>
          ))}
        </tr>
        <tr>
          <th scope="row">{words.value.timeline.title}</th>
          {contacts.map(({ id, events_count }) => (
            <td key={id}>{events_count}</td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}

function Row({ field, contacts, choice, choose }: Props & { readonly field: Field }) {
  const { duplicates: texts } = words.value;
  const name = useId();
  const title = titleOf(field);
  const take = (id: number | null) =>
    choose({ ...choice, prefer: { ...choice.prefer, [field]: id } });
  return (
    <tr>
      <th scope="row">
        {title}
        {isUnited(field) && (
          <label class="choice">
            <input
              type="radio"
              name={name}
              aria-label={texts.use(title, texts.all)}
              checked={choice.prefer[field] === null}
              onChange={() => take(null)}
            />
            <span>{texts.all}</span>
          </label>
        )}
      </th>
      {contacts.map((contact) => {
        const value = textOf(contact, field);
        return (
          <td key={contact.id}>
            <label class="choice">
              <input
                type="radio"
                name={name}
                aria-label={texts.use(title, `${value || texts.blank} (${contact.id})`)}
                checked={choice.prefer[field] === contact.id}
                onChange={() => take(contact.id)}
              />
              <span>{value || <span class="soft">{texts.blank}</span>}</span>
            </label>
          </td>
        );
      })}
    </tr>
  );
}

function titleOf(field: Field): string {
  const { contacts, records } = words.value;
  const titles: Readonly<Record<Field, string>> = {
    full_name: records.name,
    email: contacts.email,
    phone: contacts.phone,
    label_list: records.labels,
    custom_attributes: records.attributes,
  };
  return titles[field];
}

function textOf(contact: Contact, field: Field): string {
  if (field === 'label_list') return contact.label_list.join(', ');
  if (field !== 'custom_attributes') return contact[field];
  return Object.entries(contact.custom_attributes)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
