/** Documents of about 8 KB, or of as much as the limits allow of one thing. */
import { nested, repeat } from '../security/documents.ts';

const contactFields = `id account_id full_name phone email label_list custom_attributes
  additional_attributes app_type app_id chat_conversations_label_list created_at updated_at`;
const dealFields = `id account_id name status stage_id pipeline_id contact_id position lost_reason
  lost_at won_at custom_attributes created_by_id total_deal_products_amount_in_cents created_at
  updated_at`;

/** Each with its name. */
export function largeDocuments(
  accountId: number,
  contactId: number,
): readonly (readonly [string, string])[] {
  const contact = `contact(account_id: ${accountId}, id: ${contactId})`;
  const deals = (query = '{}') => `deals(account_id: ${accountId}, query: ${query}, per_page: 3)`;
  const aliased = (times: number, field: string) => repeat(times, (n) => `a${n}: ${field}`);
  const branch = `contact { ${contactFields} deals(limit: 1) { ${dealFields} contact { ${contactFields} } } }`;
  return [
    [
      'searches',
      `{ ${aliased(18, `deals(account_id: ${accountId}, per_page: 3) { data { ${dealFields} contact { ${contactFields} } } }`)} }`,
    ],
    [
      'gets',
      `{ ${aliased(20, `${contact} { ${contactFields} deals(limit: 2) { ${dealFields} } }`)} }`,
    ],
    [
      'branches',
      `{ ${contact} { deals(limit: 1) { contact { deals(limit: 1) { ${aliased(13, branch)} } } } } }`,
    ],
    ['nesting', `{ ${contact} { ${aliased(29, nested(10))} } }`],
    [
      'relations',
      `{ ${contact} { ${aliased(20, `deals(limit: 1) { ${dealFields} contact { ${contactFields} } }`)} } }`,
    ],
    ['the same again', `{ ${contact} { ${repeat(60, () => nested(6))} } }`],
    ['the same relation', `{ ${contact} { ${repeat(300, () => 'deals { id }')} } }`],
    [
      'a fragment in each root field',
      `{ ${aliased(16, `${contact} { ...c }`)} }
       fragment c on Contact { ${contactFields} deals(limit: 1) { ${dealFields} ...d } }
       fragment d on Deal { contact { ${contactFields} } }`,
    ],
    [
      'many fragments',
      `{ ${contact} { deals { ${repeat(180, (n) => `...f${n}`)} } } }
       ${repeat(180, (n) => `fragment f${n} on Deal { id }`)}`,
    ],
    [
      'objects in the text',
      `{ ${aliased(20, `${deals('{name_cont: "x", status_in: ["a", "b"], g: [{name_eq: "a", status_eq: "b"}]}')} { data { ${dealFields} } }`)} }`,
    ],
    [
      'what the schema holds',
      `{ ${aliased(20, '__type(name: "Deal") { fields { name type { name ofType { name } } args { name } } }')} }`,
    ],
    ['mistakes', `{ ${contact} { ${repeat(900, (n) => `full_nam${n}`)} } }`],
  ];
}
