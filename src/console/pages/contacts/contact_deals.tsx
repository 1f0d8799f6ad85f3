import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Button } from '../../components/button.tsx';
import { contactName } from '../../records/contact_name.ts';
import { StatusBadge } from '../../records/status.tsx';
import { formatMoney } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { NewDeal } from '../deals/new_deal.tsx';
import type { Contact } from './contact_form.ts';

/** The deals of a contact, and the way to another one. */
export function ContactDeals({ contact }: { readonly contact: Contact }) {
  const { deals: texts, records } = words.value;
  const [isCreating, setCreating] = useState(false);
  const { id, deals } = contact;
  return (
    <section class="card">
      <header>
        <h2>{texts.title}</h2>
        <Button icon="add" onClick={() => setCreating(true)}>
          {texts.create}
        </Button>
      </header>
      {deals.length === 0 && <p class="soft">{texts.noneYet}</p>}
      <ul class="rows">
        {deals.map((deal) => (
          <li key={deal.id}>
            <div>
              <Link href={`/deals/${deal.id}`}>{deal.name || records.untitled}</Link>
              <small>{deal.stage.name}</small>
            </div>
            <StatusBadge status={deal.status} />
            <span class="amount">{formatMoney(deal.total_deal_products_amount_in_cents)}</span>
          </li>
        ))}
      </ul>
      {isCreating && (
        <NewDeal
          contact={{ value: String(id), text: contactName(contact) }}
          onClose={() => setCreating(false)}
        />
      )}
    </section>
  );
}
