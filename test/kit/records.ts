/** The records of each resource, as the REST interface shows them. */

export interface Stored {
  readonly id: number;
  readonly account_id: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export type Attributes = Readonly<Record<string, unknown>>;

export interface Contact extends Stored {
  readonly full_name: string;
  readonly phone: string;
  readonly email: string;
  readonly label_list: readonly string[];
  readonly custom_attributes: Attributes;
  readonly additional_attributes: Attributes;
  readonly app_type: null;
  readonly app_id: null;
  readonly chat_conversations_label_list: readonly string[];
}

export interface FetchedContact extends Contact {
  readonly deals: readonly Deal[];
  readonly events: readonly Event[];
}

export interface Deal extends Stored {
  readonly name: string;
  readonly status: 'open' | 'won' | 'lost';
  readonly stage_id: number;
  readonly pipeline_id: number;
  readonly contact_id: number;
  readonly position: number;
  readonly lost_reason: string;
  readonly lost_at: string | null;
  readonly won_at: string | null;
  readonly custom_attributes: Attributes;
  readonly created_by_id: number | null;
  readonly total_deal_products_amount_in_cents: number;
}

export interface FetchedDeal extends Deal {
  readonly contact: Contact;
  readonly stage: Stage;
  readonly pipeline: Pipeline;
  readonly deal_assignees: readonly DealAssignee[];
  readonly deal_products: readonly DealProduct[];
}

export interface Stage extends Stored {
  readonly name: string;
  readonly pipeline_id: number;
  readonly position: number;
}

export interface Pipeline extends Stored {
  readonly name: string;
}

export interface DealAssignee extends Stored {
  readonly deal_id: number;
  readonly user_id: number;
}

export interface Product extends Stored {
  readonly identifier: string;
  readonly name: string;
  readonly description: string;
  readonly amount_in_cents: number;
  readonly quantity_available: number;
  readonly custom_attributes: Attributes;
  readonly additional_attributes: Attributes;
}

export interface FetchedProduct extends Product {
  readonly deal_products: readonly DealProduct[];
}

export interface DealProduct extends Stored {
  readonly product_id: number;
  readonly deal_id: number;
  readonly quantity: number;
  readonly unit_amount_in_cents: number;
  readonly product_name: string;
  readonly product_identifier: string;
  readonly total_amount_in_cents: number;
}

export interface FetchedDealProduct extends DealProduct {
  readonly product: Product;
  readonly deal: Deal;
}

export interface User extends Stored {
  readonly email: string;
  readonly full_name: string;
  readonly phone: string | null;
  readonly language: string;
  readonly avatar_url: string;
  readonly job_description: string;
  readonly notifications: { readonly webpush_notify_on_event_expired: boolean };
  readonly theme_preference: string;
}

export interface Event extends Stored {
  readonly deal_id: number | null;
  readonly contact_id: number;
  readonly kind: string;
  readonly title: string;
  readonly scheduled_at: string | null;
  readonly done_at: string | null;
  readonly additional_attributes: Attributes;
}

export interface Page<Record> {
  readonly data: readonly Record[];
  readonly pagination: Pagination;
}

export interface Pagination {
  readonly page: number;
  readonly items: number;
  readonly count: number;
  readonly pages: number;
  readonly from: number;
  readonly last: number;
  readonly to: number;
  readonly prev: number | null;
  readonly next: number | null;
}

export interface ErrorBody {
  readonly error: string;
  readonly code: string;
  readonly errors: readonly string[];
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  readonly codes?: Readonly<Record<string, readonly string[]>>;
  readonly request_id: string;
}

export interface Webhook extends Stored {
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly user_id: number | null;
  readonly failing_since: string | null;
  readonly disabled_at: string | null;
  readonly disabled_reason: string | null;
}

export interface IssuedWebhook extends Webhook {
  readonly secret: string;
}

export interface WebhookDelivery {
  readonly id: number;
  readonly account_id: number;
  readonly webhook_id: number;
  readonly message_id: string;
  readonly event: string;
  readonly record_type: string;
  readonly record_id: number;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly request_body: string | null;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
  readonly duration_ms: number | null;
  readonly created_at: string;
  readonly delivered_at: string | null;
}
