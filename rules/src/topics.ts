/** Topics whose events can contain the full value of a new key. */
export const VALUE_TOPICS = ['api-key.created', 'access-key.created'] as const;
export type ValueTopic = (typeof VALUE_TOPICS)[number];

/**
 * Precedes the topic in the `type` of a CloudEvent, whose specification asks for the reversed domain of whoever defines
 * the type. This one belongs to the organization that publishes Keyward.
 */
export const CLOUD_EVENT_PREFIX = 'io.github.keyward.';

/** Topics that only webhooks of the whole account can subscribe to. */
export const ACCOUNT_TOPICS = ['audit.appended'] as const;
