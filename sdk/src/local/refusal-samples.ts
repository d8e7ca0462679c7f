import { addressText } from '@keyward/rules/addresses.ts';
import type { KeyRefusalCode } from '@keyward/rules/check-key.ts';
import type { ReportedRefusal } from '../generated/api-types.ts';
import type { Refused } from '../validation/outcome.ts';
import type { LocalConditions } from './conditions.ts';

/** The most that the server accepts in one report. */
const SAMPLES_MAX = 100;
/** The server records at most this many of a key per minute. */
const PER_KEY_MAX = 10;
const ORIGIN_LENGTH_MAX = 255;

export type SampledRefusal = Pick<Refused, 'missing' | 'limit'> & {
  readonly code: KeyRefusalCode;
};

type Sample = Omit<ReportedRefusal, 'agoMs'> & { readonly at: number };

/** Refusals decided locally, for the next report. A sample never contains the value of the key. */
export class RefusalSamples {
  #samples: Sample[] = [];
  #perKey = new Map<string, number>();

  /** `now`: on the monotonic clock. */
  add(keyId: string, refusal: SampledRefusal, conditions: LocalConditions, now: number): void {
    const ofKey = this.#perKey.get(keyId) ?? 0;
    if (this.#samples.length >= SAMPLES_MAX || ofKey >= PER_KEY_MAX) return;
    this.#perKey.set(keyId, ofKey + 1);
    const { clientIP, origin, cost } = conditions;
    const { code, missing, limit = code === 'rate_limited' ? 'default' : undefined } = refusal;
    this.#samples.push({
      keyId,
      code,
      at: now,
      ...(clientIP !== null && { clientIP: addressText(clientIP) }),
      ...(typeof origin === 'string' && { origin: originText(origin) }),
      ...(missing && { missing: [...missing] }),
      ...(limit !== undefined && { limit }),
      ...(cost !== 1 && { cost }),
    });
  }

  /** Takes out everything. */
  take(): readonly Sample[] {
    const samples = this.#samples;
    this.#samples = [];
    this.#perKey = new Map();
    return samples;
  }
}

/** The server rejects a NUL and half a surrogate pair, which `slice` may leave. */
const originText = (origin: string): string =>
  origin.slice(0, ORIGIN_LENGTH_MAX).replaceAll('\0', '\ufffd').toWellFormed();

/** The sample as the server expects it: with its age in place of its time. */
export const reported = ({ at, ...sample }: Sample, now: number): ReportedRefusal => ({
  ...sample,
  agoMs: Math.max(0, Math.round(now - at)),
});
