import { Link } from 'wouter-preact';
import { AttributesList } from '../../records/attributes_list.tsx';
import { nameOf } from '../../records/choices.ts';
import { contactName } from '../../records/contact_name.ts';
import { Detail } from '../../records/detail.tsx';
import { formatDay, formatMoney } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import type { Deal } from './use_deal.ts';

/** The fields of a deal. */
export function DealDetails({ deal }: { readonly deal: Deal }) {
  const { deals: texts, records } = words.value;
  const { contact, creator, won_at, lost_at, lost_reason } = deal;
  return (
    <section class="card">
      <h2>{records.details}</h2>
      <dl class="details">
        <Detail title={texts.amount}>
          <strong>{formatMoney(deal.total_deal_products_amount_in_cents)}</strong>
        </Detail>
        <Detail title={texts.contact}>
          <Link href={`/contacts/${contact.id}`}>{contactName(contact)}</Link>
        </Detail>
        <Detail title={records.pipeline}>{deal.pipeline.name}</Detail>
        {won_at && <Detail title={texts.wonOn}>{formatDay(won_at)}</Detail>}
        {lost_at && <Detail title={texts.lostOn}>{formatDay(lost_at)}</Detail>}
        {lost_reason && <Detail title={texts.lostReason}>{lost_reason}</Detail>}
        <Detail title={records.created}>{formatDay(deal.created_at)}</Detail>
        <Detail title={texts.creator}>{creator && nameOf(creator)}</Detail>
        <AttributesList attributes={deal.custom_attributes} />
      </dl>
    </section>
  );
}
