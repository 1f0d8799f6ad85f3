/** Whole bodies, as they are expected of each resource: defaults, with what a test sets. */
import { expect } from '@jest/globals';

type Fields = Readonly<Record<string, unknown>>;

/** `2026-03-01T10:00:00.123Z`: UTC, milliseconds. */
export const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const id = expect.any(Number);

/** Every record has these; `account_id` is the one of the world. */
const stored = (accountId: number) => ({
  id,
  account_id: accountId,
  created_at: moment,
  updated_at: moment,
});

export const contactBody = (accountId: number, fields: Fields = {}) => ({
  ...stored(accountId),
  full_name: '',
  phone: '',
  email: '',
  label_list: [],
  custom_attributes: {},
  additional_attributes: {},
  app_type: null,
  app_id: null,
  chat_conversations_label_list: [],
  ...fields,
});

/** @param fields must hold contact, stage and pipeline, which have no default */
export const dealBody = (accountId: number, fields: Fields = {}) => ({
  ...stored(accountId),
  name: '',
  status: 'open',
  stage_id: id,
  pipeline_id: id,
  contact_id: id,
  position: 1,
  lost_reason: '',
  lost_at: null,
  won_at: null,
  custom_attributes: {},
  created_by_id: id,
  total_deal_products_amount_in_cents: 0,
  ...fields,
});

export const productBody = (accountId: number, fields: Fields = {}) => ({
  ...stored(accountId),
  identifier: '',
  name: '',
  description: '',
  amount_in_cents: 0,
  quantity_available: 0,
  custom_attributes: {},
  additional_attributes: {},
  ...fields,
});

export const dealProductBody = (accountId: number, fields: Fields = {}) => ({
  ...stored(accountId),
  product_id: id,
  deal_id: id,
  quantity: 1,
  unit_amount_in_cents: 0,
  product_name: '',
  product_identifier: '',
  total_amount_in_cents: 0,
  ...fields,
});

export const userBody = (accountId: number, fields: Fields = {}) => ({
  ...stored(accountId),
  email: expect.any(String),
  full_name: '',
  phone: null,
  language: 'en',
  avatar_url: '',
  job_description: 'other',
  notifications: { webpush_notify_on_event_expired: false },
  theme_preference: 'system',
  ...fields,
});

/** An event that the service wrote itself: done at once, by the account. */
export const eventBody = (accountId: number, fields: Fields = {}) => ({
  ...stored(accountId),
  deal_id: id,
  contact_id: id,
  app_type: null,
  app_id: null,
  kind: expect.any(String),
  scheduled_at: null,
  done_at: moment,
  from_me: true,
  status: null,
  custom_attributes: {},
  additional_attributes: {},
  title: '',
  auto_done: false,
  done: true,
  send_now: null,
  files: [],
  files_events: [],
  invalid_files: null,
  ...fields,
});

export const assigneeBody = (accountId: number, fields: Fields = {}) => ({
  ...stored(accountId),
  deal_id: id,
  user_id: id,
  ...fields,
});

export const stageBody = (accountId: number, fields: Fields = {}) => ({
  ...stored(accountId),
  name: expect.any(String),
  pipeline_id: id,
  position: id,
  ...fields,
});

export const pipelineBody = (accountId: number, fields: Fields = {}) => ({
  ...stored(accountId),
  name: expect.any(String),
  ...fields,
});

/** A page that holds all there is. */
export const onePage = (data: readonly unknown[]) => ({
  data,
  pagination: {
    page: 1,
    items: data.length,
    count: data.length,
    pages: 1,
    from: data.length === 0 ? 0 : 1,
    to: data.length,
    last: 1,
    prev: null,
    next: null,
  },
});
