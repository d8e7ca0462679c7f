import * as crypto from 'node:crypto';

const { hash } = crypto;

/**
 * What a value is remembered by: 32 characters, from which nobody gets the value back. The short
 * form came with Node 20.12; it takes half the time.
 */
export const digestOf: (value: string) => string =
  typeof hash === 'function'
    ? (value) => hash('sha256', value, 'latin1')
    : (value) => crypto.createHash('sha256').update(value).digest('latin1');
