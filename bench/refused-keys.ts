import { generateValue } from '../server/src/kernel/key-values.ts';

/** Well formed, and nobody's: each asks the storage. */
export const unknownKeys = (count: number): string[] =>
  Array.from({ length: count }, () => generateValue('live_'));

/** With a wrong last character: the checksum tells without a look at the storage. */
export const malformedKeys = (count: number): string[] =>
  unknownKeys(count).map((value) => value.slice(0, -1) + (value.endsWith('0') ? '1' : '0'));
