/** Questions of a sales manager's dashboard, each as a summary. */
import type { Asked } from './oracle.ts';
import type { Row } from './world.ts';

const is =
  (column: string, ...values: readonly unknown[]) =>
  (row: Row) =>
    values.includes(row[column]);
const amount = 'total_deal_products_amount_in_cents';
const open = { query: { status_eq: 'open' }, matches: is('status', 'open') } as const;
const won = { query: { status_eq: 'won' }, matches: is('status', 'won') } as const;
const lost = { query: { status_eq: 'lost' }, matches: is('status', 'lost') } as const;
const closed = {
  query: { status_in: ['won', 'lost'] },
  matches: is('status', 'won', 'lost'),
} as const;
const activities = { query: { kind_eq: 'activity' }, matches: is('kind', 'activity') } as const;
const quarter = { from: '2024-10-01', to: '2024-12-31' } as const;

// biome-ignore format: one question a line reads as the list that it is
export const questions: Readonly<Record<string, Asked>> = {
  // Contacts.
  'contacts by source': { of: 'CONTACTS', by: ['custom_attributes.source'] },
  'contacts by label': { of: 'CONTACTS', by: ['label_list'], sort: 'count' },
  'contacts by label and source': { of: 'CONTACTS', by: ['label_list', 'custom_attributes.source'] },
  'new contacts by week': { of: 'CONTACTS', by: ['created_at.week'], fill: true },
  'new contacts by month and source': { of: 'CONTACTS', by: ['created_at.month', 'custom_attributes.source'], fill: true },
  'contacts by the score that marketing gave them': { of: 'CONTACTS', by: ['custom_attributes.score'] },
  'how many contacts there are, and how many have an e-mail': { of: 'CONTACTS', measures: ['distinct(email)', 'smallest(created_at)'] },
  'people of the same name': { of: 'CONTACTS', by: ['full_name'], sort: 'count', limit: 5 },
  'contacts by the stages in which they have deals': { of: 'CONTACTS', by: ['deals_stage_name'] },
  'contacts with open, won and lost deals': { of: 'CONTACTS', by: ['deals_status'], measures: ['distinct(deals_id)'] },
  'contacts by who works on their deals': { of: 'CONTACTS', by: ['deals_users_full_name'] },
  'labels of those who bought each product': { of: 'CONTACTS', by: ['deals_products_name'], measures: ['distinct(label_list)'], limit: 6 },
  // Deals.
  'deals by status': { of: 'DEALS', by: ['status'], measures: [`sum(${amount})`, `average(${amount})`] },
  'open deals by stage': { of: 'DEALS', ...open, by: ['stage_id'], measures: [`sum(${amount})`] },
  'open deals by the name of their stage': { of: 'DEALS', ...open, by: ['stage_name'], measures: [`sum(${amount})`, `largest(${amount})`] },
  'deals by pipeline and stage': { of: 'DEALS', by: ['pipeline_id', 'stage_id'], measures: [`sum(${amount})`] },
  'deals by creator': { of: 'DEALS', by: ['created_by_id'], sort: `sum(${amount})`, measures: [`sum(${amount})`] },
  'best sellers of the quarter, and all others': { of: 'DEALS', ...won, by: ['deal_assignees_user_id'], on: 'won_at', ...quarter, sort: `sum(${amount})`, limit: 3, measures: [`sum(${amount})`] },
  'best customers of the quarter': { of: 'DEALS', ...won, by: ['contact_id'], on: 'won_at', ...quarter, sort: `sum(${amount})`, limit: 10, measures: [`sum(${amount})`, 'largest(won_at)'] },
  'deals by the label of their contact': { of: 'DEALS', by: ['contact_label_list'], measures: [`sum(${amount})`, 'distinct(contact_id)'] },
  'deals by the source of their contact': { of: 'DEALS', by: ['contact_custom_attributes.source'], measures: [`average(${amount})`] },
  'won deals by the source of their contact and quarter': { of: 'DEALS', ...won, by: ['won_at.quarter', 'contact_custom_attributes.source'], measures: [`sum(${amount})`] },
  'why deals are lost': { of: 'DEALS', ...lost, by: ['lost_reason'], sort: 'count', measures: [`sum(${amount})`] },
  'why deals are lost, by month': { of: 'DEALS', ...lost, by: ['lost_at.month', 'lost_reason'] },
  'won and lost by month': { of: 'DEALS', ...closed, by: ['closed_at.month', 'status'], fill: true, measures: [`sum(${amount})`] },
  'won by day of a month, days without any included': { of: 'DEALS', ...won, by: ['won_at.day'], fill: true, from: '2024-12-20', to: '2025-01-20', measures: [`sum(${amount})`] },
  'won this quarter and the one before': { of: 'DEALS', ...won, by: ['won_at.quarter'], from: '2024-10-01', to: '2025-03-31', measures: [`sum(${amount})`, 'distinct(contact_id)'] },
  'created by week, of two months': { of: 'DEALS', by: ['created_at.week'], fill: true, from: '2024-11-15', to: '2025-01-15' },
  'closed deals by the month in which they were created': { of: 'DEALS', by: ['created_at.month'], on: 'closed_at', ...quarter, measures: [`sum(${amount})`] },
  'closed deals by the month in which they were created, months without any included': { of: 'DEALS', by: ['created_at.month'], on: 'closed_at', ...quarter, fill: true },
  'deals by year': { of: 'DEALS', by: ['created_at.year'], measures: [`sum(${amount})`, `smallest(${amount})`] },
  'deals by channel and status': { of: 'DEALS', by: ['custom_attributes.channel', 'status'], measures: [`average(${amount})`] },
  'how many customers, sellers and products there are': { of: 'DEALS', measures: ['distinct(contact_id)', 'distinct(users_id)', 'distinct(products_id)', `sum(${amount})`] },
  'customers and products of each seller': { of: 'DEALS', by: ['users_full_name'], measures: ['distinct(contact_id)', 'distinct(products_id)'] },
  'customers by stage, top two and the rest': { of: 'DEALS', by: ['stage_name'], limit: 2, sort: 'distinct(contact_id)', measures: ['distinct(contact_id)', 'distinct(contact_label_list)'] },
  'customers, creators and products by stage, top two and the rest': { of: 'DEALS', by: ['stage_name'], limit: 2, sort: 'count', measures: ['distinct(contact_id)', 'distinct(created_by_id)', 'distinct(products_id)'] },
  'deals by the roles of who created them': { of: 'DEALS', by: ['creator_role', 'creator_language'] },
  'deals by when their contact was met': { of: 'DEALS', by: ['contact_created_at.month'], measures: [`sum(${amount})`] },
  'the smallest amounts, by contact': { of: 'DEALS', by: ['contact_full_name'], sort: `average(${amount})`, ascending: true, limit: 4, measures: [`average(${amount})`] },
  'the last deal of each pipeline': { of: 'DEALS', by: ['pipeline_name'], measures: ['largest(created_at)', 'smallest(won_at)'] },
  'deals by what was sold in them': { of: 'DEALS', by: ['deal_products_product_name'], measures: [`sum(${amount})`] },
  'deals by what was sold in them, and how many': { of: 'DEALS', by: ['deal_products_product_name', 'deal_products_quantity'], limit: 8 },
  // Products.
  'revenue by product': { of: 'DEAL_PRODUCTS', by: ['product_id'], sort: 'sum(total_amount_in_cents)', measures: ['sum(total_amount_in_cents)', 'sum(quantity)'] },
  'revenue by product and month': { of: 'DEAL_PRODUCTS', query: { deal_status_eq: 'won' }, matches: ({ deal }) => Object(deal)['status'] === 'won', by: ['product_name', 'deal_won_at.month'], measures: ['sum(total_amount_in_cents)'] },
  'revenue by month of closing': { of: 'DEAL_PRODUCTS', by: ['deal_closed_at.month'], measures: ['sum(total_amount_in_cents)', 'distinct(deal_id)'] },
  'units by colour': { of: 'DEAL_PRODUCTS', by: ['product_custom_attributes.colour'], measures: ['sum(quantity)', 'average(unit_amount_in_cents)'] },
  'prices that were taken, beside those of today': { of: 'DEAL_PRODUCTS', by: ['product_identifier'], measures: ['average(unit_amount_in_cents)', 'average(product_amount_in_cents)'] },
  'what sells in which stage': { of: 'DEAL_PRODUCTS', by: ['deal_status', 'product_name'], limit: 12, sort: 'sum(quantity)', measures: ['sum(quantity)'] },
  'products by how many are left': { of: 'PRODUCTS', by: ['quantity_available'], measures: ['average(amount_in_cents)'] },
  'products by the outcome of their deals': { of: 'PRODUCTS', by: ['deals_status'], measures: ['sum(amount_in_cents)', 'distinct(deals_contact_id)'] },
  'the catalogue as a whole': { of: 'PRODUCTS', measures: ['sum(quantity_available)', 'smallest(amount_in_cents)', 'largest(amount_in_cents)', 'distinct(name)'] },
  // Activities.
  'activities by kind': { of: 'EVENTS', by: ['kind'], sort: 'count' },
  'activities done by week': { of: 'EVENTS', ...activities, by: ['done_at.week'], fill: true },
  'activities by stage of their deal': { of: 'EVENTS', ...activities, by: ['deal_stage_name'], measures: ['distinct(deal_id)', 'distinct(contact_id)'] },
  'activities that are due, by day': { of: 'EVENTS', query: { done_at_null: true }, matches: is('done_at', null), by: ['scheduled_at.day'], from: '2024-12-25', to: '2025-01-10', fill: true },
  'what was done with customers of each label': { of: 'EVENTS', by: ['contact_label_list', 'kind'], measures: ['distinct(contact_id)'] },
  'calls and visits by the outcome of their deal': { of: 'EVENTS', by: ['title', 'deal_status'] },
  'activities by the amount of their deal': { of: 'EVENTS', ...activities, by: ['deal_status'], measures: [`average(deal_${amount})`, `largest(deal_created_at)`] },
  // People.
  'the team by language and job': { of: 'USERS', by: ['language', 'job_description'] },
  'sellers by the status of their deals': { of: 'USERS', by: ['deals_status'], measures: ['distinct(deals_id)'] },
  'sellers by the stages in which they work': { of: 'USERS', by: ['deals_stage_name'], measures: ['distinct(deals_contact_id)', 'distinct(full_name)'] },
};
