import type { Calls } from '../http/calls.ts';
import { type Crud, crud } from '../http/crud.ts';
import type { BodyOf, QueryOf } from '../http/operation.ts';
import type { CallOptions } from '../http/options.ts';

export interface Webhooks extends ReturnType<typeof webhooks> {
  /** The response contains the signing secret; it is shown only this once. */
  create: Crud<'Webhook'>['create'];
}

export const webhooks = (calls: Calls) => ({
  ...crud(calls, 'Webhook'),

  deliveries: new Deliveries(calls),
  replays: new Replays(calls),

  /** The topics that a webhook can subscribe to. */
  topics: (options?: CallOptions) => calls.call('listWebhookTopics', {}, options),

  /** Deliveries are signed with both the old and the new secret for 24 hours. */
  rotateSecret: (id: string, options?: CallOptions) =>
    calls.call('rotateWebhookSecret', { path: { id } }, options),

  /** Sends a test request to a URL and returns the result. */
  ping: (body: BodyOf<'pingWebhook'>, options?: CallOptions) =>
    calls.call('pingWebhook', { body }, options),

  /** Sends the events since a given time again. */
  replay: (id: string, body: BodyOf<'startWebhookReplay'>, options?: CallOptions) =>
    calls.call('startWebhookReplay', { path: { id }, body }, options),
});

class Deliveries {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  list(webhook: string, query: QueryOf<'listWebhookDeliveries'> = {}, options?: CallOptions) {
    return this.#calls.list('listWebhookDeliveries', { path: { id: webhook }, query }, options);
  }

  get(webhook: string, delivery: string, options?: CallOptions) {
    return this.#calls.call('getWebhookDelivery', { path: { id: webhook, delivery } }, options);
  }

  retry(webhook: string, delivery: string, options?: CallOptions) {
    return this.#calls.call('retryWebhookDelivery', { path: { id: webhook, delivery } }, options);
  }
}

class Replays {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  list(webhook: string, query: QueryOf<'listWebhookReplays'> = {}, options?: CallOptions) {
    return this.#calls.list('listWebhookReplays', { path: { id: webhook }, query }, options);
  }

  get(webhook: string, replay: string, options?: CallOptions) {
    return this.#calls.call('getWebhookReplay', { path: { id: webhook, replay } }, options);
  }
}
