/** Where a setting is made. */
export type Level = 'key' | 'customer' | 'plan';
