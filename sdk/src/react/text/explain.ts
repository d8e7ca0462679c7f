import { KeywardError } from '../../http/errors.ts';
import type { Messages } from './en.ts';

/** What happened and what to do, for the customer. */
export function explain(error: Error, { errors }: Messages): string {
  if (!(error instanceof KeywardError)) return errors.other(error.message);
  switch (error.code) {
    case 'origin_denied':
      return errors.origin;
    case 'too_many_keys':
      return errors.keyLimit;
    case 'unreachable':
    case 'timeout':
      return errors.unreachable;
  }
  const status = error.statusCode ?? 0;
  if (status === 429) return errors.busy;
  if (status >= 500) return errors.unavailable;
  if (status === 403) return errors.denied;
  if (status === 404) return errors.notFound;
  return errors.other(error.message);
}
