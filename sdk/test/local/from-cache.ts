import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalKeyward, ValidateOptions } from '../../src/local/index.ts';

/**
 * Repeats the validation until it is decided from the cache. This may take several tries: the change
 * event of the key's creation drops it, and a late heartbeat makes the cache unusable.
 */
export async function fromCache(
  local: Pick<LocalKeyward, 'validate'>,
  key: string,
  options: ValidateOptions = {},
) {
  for (;;) {
    const result = local.validate(key, options);
    if (!(result instanceof Promise)) return result;
    await result;
    await sleep(5);
  }
}
