import * as crypto from 'node:crypto';

const { hash } = crypto;

/**
 * What a value is remembered by; nobody gets the value back from it. In hexadecimal, which Node
 * writes quickest: 0.6 µs, against 0.8 in bytes. The short form came with Node 20.12.
 */
export const digestOf: (value: string) => string =
  typeof hash === 'function'
    ? (value) => hash('sha256', value, 'hex')
    : (value) => crypto.createHash('sha256').update(value).digest('hex');
