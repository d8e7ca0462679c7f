/** Topics whose events can contain the full value of a new key. */
export const VALUE_TOPICS = ['api-key.created', 'access-key.created'] as const;
export type ValueTopic = (typeof VALUE_TOPICS)[number];

/** Topics that only webhooks of the whole account can subscribe to. */
export const ACCOUNT_TOPICS = ['audit.appended'] as const;
