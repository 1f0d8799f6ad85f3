import { words } from '../../words/words.ts';
import type { Happening } from './subject.ts';

/**
 * What happened, in a sentence; the kind itself where it is unknown here. Names come from what the
 * event keeps: its stages and products may be gone.
 */
export function sentenceOf({
  kind,
  additional_attributes: attributes,
}: Pick<Happening, 'kind' | 'additional_attributes'>): string {
  const { kinds } = words.value.timeline;
  const text = (name: string) => String(attributes[name] ?? '');
  switch (kind) {
    case 'deal_opened':
      return kinds.opened(text('stage_name'));
    case 'deal_stage_change':
      return kinds.moved(text('old_stage_name'), text('new_stage_name'));
    case 'deal_won':
      return kinds.won;
    case 'deal_lost':
      return kinds.lost;
    case 'deal_reopened':
      return kinds.reopened;
    case 'deal_product_added':
      return kinds.productAdded(text('product_name'));
    case 'deal_product_removed':
      return kinds.productRemoved(text('product_name'));
    case 'note':
      return kinds.note;
    case 'activity':
      return kinds.activity;
    default:
      return kind;
  }
}
