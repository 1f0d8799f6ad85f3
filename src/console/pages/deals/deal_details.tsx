import { Link } from 'wouter-preact';
import { InPlace } from '../../components/in_place.tsx';
import { tell } from '../../components/toast.tsx';
import { AttributesList } from '../../records/attributes_list.tsx';
import { nameOf } from '../../records/choices.ts';
import { contactName } from '../../records/contact_name.ts';
import { Detail } from '../../records/detail.tsx';
import { EmailLink, PhoneLink } from '../../records/reach.tsx';
import { formatDay, formatMoney } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import type { Work } from './use_deal.ts';

/** The fields of a deal. */
export function DealDetails({ deal, update, reload }: Work) {
  const { contacts, deals: texts, records, shell } = words.value;
  const edit = (name: 'name' | 'lost_reason', label: string) => ({
    name,
    label,
    value: deal[name],
    version: deal.version,
    reload,
    save: async (value: string, known?: string) => {
      await update({ [name]: value }, known);
      tell(shell.saved, () => update({ [name]: deal[name] }));
    },
  });
  const { contact, creator, won_at, lost_at, lost_reason } = deal;
  return (
    <section class="card">
      <h2>{records.details}</h2>
      <dl class="details">
        <Detail title={records.name}>
          <InPlace {...edit('name', records.name)}>{deal.name}</InPlace>
        </Detail>
        <Detail title={texts.amount}>
          <strong>{formatMoney(deal.total_deal_products_amount_in_cents)}</strong>
        </Detail>
        <Detail title={texts.contact}>
          <Link href={`/contacts/${contact.id}`}>{contactName(contact)}</Link>
        </Detail>
        {contact.email && (
          <Detail title={contacts.email}>
            <EmailLink email={contact.email} />
          </Detail>
        )}
        {contact.phone && (
          <Detail title={contacts.phone}>
            <PhoneLink phone={contact.phone} />
          </Detail>
        )}
        <Detail title={records.pipeline}>{deal.pipeline.name}</Detail>
        {won_at && <Detail title={texts.wonOn}>{formatDay(won_at)}</Detail>}
        {lost_at && <Detail title={texts.lostOn}>{formatDay(lost_at)}</Detail>}
        {lost_reason && (
          <Detail title={texts.lostReason}>
            <InPlace {...edit('lost_reason', texts.lostReason)}>{lost_reason}</InPlace>
          </Detail>
        )}
        <Detail title={records.created}>{formatDay(deal.created_at)}</Detail>
        <Detail title={texts.creator}>{creator && nameOf(creator)}</Detail>
        <AttributesList
          attributes={deal.custom_attributes}
          version={deal.version}
          reload={reload}
          save={(attributes, known) => update({ custom_attributes: attributes }, known)}
        />
      </dl>
    </section>
  );
}
