import type { Scope } from './roles.ts';

/**
 * The events that a webhook can subscribe to. For a topic `<resource>.created`, `.updated` or `.deleted`, schema, example
 * and text follow from the description of the resource.
 */
export const TOPICS = [
  'api-key.created',
  'api-key.deleted',
  'api-key.updated',
  'api-key.firstUsed',
  'access-key.created',
  'access-key.updated',
  'access-key.deleted',
  'project.updated',
  'plan.updated',
  'customer.updated',
  'credits.changed',
  'api-key.leaked',
  'api-key.expiring',
  'api-key.expired',
  'limit.threshold',
  'credits.low',
  'credits.exhausted',
  'usage.period',
  'audit.appended',
] as const;
export type Topic = (typeof TOPICS)[number];

/** Topics whose events can contain the full value of a new key. */
export const VALUE_TOPICS = [
  'api-key.created',
  'access-key.created',
] as const satisfies readonly Topic[];
export type ValueTopic = (typeof VALUE_TOPICS)[number];

/**
 * Precedes the topic in the `type` of a CloudEvent, whose specification asks for the reversed domain of whoever defines
 * the type. This one belongs to the organization that publishes Keyward.
 */
export const CLOUD_EVENT_PREFIX = 'io.github.keyward.';

/** Topics that only webhooks of the whole account can subscribe to. */
export const ACCOUNT_TOPICS = ['audit.appended'] as const satisfies readonly Topic[];

/** The scope that the authors of a webhook need to receive events of a topic. */
export const SCOPE_OF_TOPIC: Partial<Record<Topic, Scope>> = {
  'usage.period': 'analytics:read',
  'audit.appended': 'audit:read',
};
