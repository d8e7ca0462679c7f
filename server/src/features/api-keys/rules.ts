import { KeywardError } from '../../kernel/errors.ts';
import { looksLikeId } from '../../kernel/ids.ts';
import { shapeOf } from '../../kernel/secrets/key-values.ts';

/** Rejects a custom value that looks like a Keyward id, or like a generated value with a wrong checksum. */
export function checkCustomValue(value: string): void {
  if (looksLikeId(value))
    throw new KeywardError(
      'invalid_key_value',
      'key looks like a Keyward id; choose another value.',
    );
  if (shapeOf(value) === 'malformed')
    throw new KeywardError(
      'invalid_key_value',
      'key looks like a generated value with a wrong checksum; check that it was copied correctly.',
    );
}
