import type { TracingChannel } from 'node:diagnostics_channel';
import {
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { attempts, statements, transactions } from '../kernel/tracing.ts';

/** Records what traced requests cause: statements, transactions and deliveries. Other work is not recorded. */
export function traceWork(tracer: Tracer): void {
  const isTraced = () => trace.getActiveSpan()?.isRecording() === true;
  record(statements, ({ sql }) =>
    isTraced()
      ? // The text has placeholders instead of values.
        tracer.startSpan(statementName(sql), {
          kind: SpanKind.CLIENT,
          attributes: { 'db.query.text': sql },
        })
      : null,
  );
  record(transactions, () => (isTraced() ? tracer.startSpan('transaction') : null));
  record(
    attempts,
    (work) => {
      if (work.traceparent === null) return null;
      const caller = propagation.extract(ROOT_CONTEXT, { traceparent: work.traceparent });
      const attributes = {
        'messaging.message.id': work.eventId,
        'keyward.topic': work.topic,
        'keyward.webhook_id': work.webhookId,
      };
      const options = { kind: SpanKind.CLIENT, attributes };
      const span = tracer.startSpan(`deliver ${work.topic}`, options, caller);
      const carrier: { traceparent?: string } = {};
      propagation.inject(trace.setSpan(caller, span), carrier);
      work.traceparent = carrier.traceparent ?? work.traceparent;
      return span;
    },
    (span, { statusCode }) => {
      if (statusCode !== null) span.setAttribute('http.response.status_code', statusCode);
      if (statusCode === null || statusCode >= 300) span.setStatus({ code: SpanStatusCode.ERROR });
    },
  );
}

function record<Work extends object>(
  channel: TracingChannel<Work>,
  start: (work: Work) => Span | null,
  finish?: (span: Span, work: Work) => void,
): void {
  const spans = new WeakMap<object, Span>();
  channel.subscribe({
    start(work) {
      const span = start(work);
      if (span !== null) spans.set(work, span);
    },
    // Without the message, which may contain values.
    error: (work) => void spans.get(work)?.setStatus({ code: SpanStatusCode.ERROR }),
    asyncEnd(work) {
      const span = spans.get(work);
      if (span === undefined) return;
      finish?.(span, work);
      span.end();
    },
    end() {},
    asyncStart() {},
  });
}

/** Such as `select api_keys`. */
function statementName(sql: string): string {
  const verb = /^[\s(]*(\w+)/.exec(sql)?.[1] ?? 'statement';
  const table = /\b(?:from|into|update)\s+"?(\w+)/i.exec(sql)?.[1];
  return table === undefined ? verb : `${verb} ${table}`;
}
