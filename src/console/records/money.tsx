import { formatMoney, formatMoneyShort } from '../words/format.ts';

/** An amount where there is little room: a large one is shortened, with the whole beside it. */
export function Money({ cents }: { readonly cents: number }) {
  const [whole, short] = [formatMoney(cents), formatMoneyShort(cents)];
  return (
    <span class="amount" title={short === whole ? undefined : whole}>
      {short}
    </span>
  );
}
