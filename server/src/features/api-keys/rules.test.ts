import { describe, expect, it } from 'vitest';
import { KeywardError } from '../../kernel/errors.ts';
import { createIds } from '../../kernel/ids.ts';
import { generateValue } from '../../kernel/secrets/key-values.ts';
import { checkCustomValue } from './rules.ts';

const refused = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof KeywardError) return error.code;
    throw error;
  }
  return '';
};

describe('a custom value', () => {
  it('must not look like a Keyward id or a generated value with a wrong checksum', () => {
    const generated = generateValue('live_');
    expect(refused(() => checkCustomValue('my-own-value'))).toBe('');
    expect(refused(() => checkCustomValue(generated))).toBe('');
    expect(refused(() => checkCustomValue(createIds()('key')))).toBe('invalid_key_value');
    const mistyped = generated.slice(0, -1) + (generated.endsWith('A') ? 'B' : 'A');
    expect(refused(() => checkCustomValue(mistyped))).toBe('invalid_key_value');
  });
});
