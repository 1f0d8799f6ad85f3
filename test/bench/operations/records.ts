/** Records as they are answered, built by PostgreSQL. */

export const at = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
export const stamps = (row: string) =>
  `'account_id', ${row}.account_id, 'created_at', ${at(`${row}.created_at`)}, 'updated_at', ${at(`${row}.updated_at`)}`;

export const contact = (
  c: string,
) => `json_build_object('id', ${c}.id, 'full_name', ${c}.full_name, 'phone', ${c}.phone,
  'email', ${c}.email, 'label_list', ${c}.label_list, 'custom_attributes', ${c}.custom_attributes,
  'additional_attributes', ${c}.additional_attributes, 'app_type', ${c}.app_type, 'app_id', ${c}.app_id,
  'chat_conversations_label_list', ${c}.chat_conversations_label_list, ${stamps(c)}`;
export const deal = (
  d: string,
) => `json_build_object('id', ${d}.id, 'name', ${d}.name, 'status', ${d}.status,
  'stage_id', ${d}.stage_id, 'pipeline_id', ${d}.pipeline_id, 'contact_id', ${d}.contact_id,
  'position', ${d}.rank, 'lost_reason', ${d}.lost_reason, 'lost_at', ${at(`${d}.lost_at`)},
  'won_at', ${at(`${d}.won_at`)}, 'custom_attributes', ${d}.custom_attributes, 'created_by_id', ${d}.created_by_id,
  'total_deal_products_amount_in_cents', ${d}.total_deal_products_amount_in_cents, ${stamps(d)}`;
export const product = (
  p: string,
) => `json_build_object('id', ${p}.id, 'identifier', ${p}.identifier, 'name', ${p}.name,
  'description', ${p}.description, 'amount_in_cents', ${p}.amount_in_cents,
  'quantity_available', ${p}.quantity_available, 'custom_attributes', ${p}.custom_attributes,
  'additional_attributes', ${p}.additional_attributes, ${stamps(p)}`;
export const dealProduct = (
  x: string,
) => `json_build_object('id', ${x}.id, 'product_id', ${x}.product_id,
  'deal_id', ${x}.deal_id, 'quantity', ${x}.quantity, 'unit_amount_in_cents', ${x}.unit_amount_in_cents,
  'product_name', ${x}.product_name, 'product_identifier', ${x}.product_identifier,
  'total_amount_in_cents', ${x}.total_amount_in_cents, ${stamps(x)}`;
export const event = (
  e: string,
) => `json_build_object('id', ${e}.id, 'deal_id', ${e}.deal_id, 'contact_id', ${e}.contact_id,
  'app_type', NULL, 'app_id', NULL, 'kind', ${e}.kind, 'scheduled_at', ${at(`${e}.scheduled_at`)},
  'done_at', ${at(`${e}.done_at`)}, 'from_me', ${e}.from_me, 'status', NULL,
  'custom_attributes', ${e}.custom_attributes, 'additional_attributes', ${e}.additional_attributes,
  'title', ${e}.title, 'auto_done', ${e}.auto_done, 'done', ${e}.done_at IS NOT NULL, 'send_now', NULL,
  'files', '[]'::json, 'files_events', '[]'::json, 'invalid_files', NULL, ${stamps(e)}`;
export const list = (object: string, from: string) =>
  `(SELECT coalesce(json_agg(${object} ORDER BY x.id), '[]') FROM ${from})`;
