import {
  ContactsWithAttributesDocument,
  DealsWithAttributesDocument,
  ProductsWithAttributesDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';

const documents = {
  contacts: ContactsWithAttributesDocument,
  deals: DealsWithAttributesDocument,
  products: ProductsWithAttributesDocument,
} as const;

export type ListName = keyof typeof documents;

/** Keys of custom attributes that the newest records have, those first that most of them have. @throws {Refusal} */
export async function attributesInUse(list: ListName): Promise<readonly string[]> {
  const { data } = (await ask(documents[list], {})).list;
  const counts = new Map<string, number>();
  for (const key of data.flatMap(({ custom_attributes }) => Object.keys(custom_attributes))) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([key]) => key);
}
