/** An attempt to deliver as a span of its own trace, which is linked to the one of the change. */
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { readTraceparent, startSpan, traceparentOf } from '../lib/tracing.ts';
import type { About, Outcome } from './send.ts';

/** @returns what the receiver is told of it, if anything, and how to end it; without an outcome it was given up */
export function deliverySpan({ id, event, accountId, webhookId, traceparent }: About): {
  readonly traceparent: string | undefined;
  end(outcome?: Outcome): void;
} {
  const change = readTraceparent(traceparent);
  const span = startSpan(`webhook ${event}`, {
    kind: SpanKind.PRODUCER,
    attributes: {
      'http.request.method': 'POST',
      'crm.account.id': accountId,
      'crm.webhook.id': webhookId,
      'crm.delivery.id': id,
    },
    links: change ? [{ context: change }] : [],
  });
  return {
    traceparent: span.isRecording() ? traceparentOf(span.spanContext()) : undefined,
    end: (outcome) => {
      if (outcome?.status) span.setAttribute('http.response.status_code', outcome.status);
      if (outcome?.error !== null) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}
