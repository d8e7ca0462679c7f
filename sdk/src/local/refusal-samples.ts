import type { ReportedRefusal } from '../generated/api-types.ts';
import type { Refused } from '../validation/outcome.ts';
import type { ValidateOptions } from '../validation/validator.ts';

/** The most that the server accepts in one report. */
const SAMPLES_MAX = 100;
/** The server records no more of a key in a minute. */
const PER_KEY_MAX = 10;
const ORIGIN_LENGTH_MAX = 255;
const ADDRESS_LENGTH_MAX = 45;

type Sample = Omit<ReportedRefusal, 'agoMs'> & { readonly at: number };

/** Refusals decided locally, for the next report: what explains them, never the value of the key. */
export class RefusalSamples {
  #samples: Sample[] = [];
  #perKey = new Map<string, number>();

  /** `now`: on the monotonic clock. */
  add(keyId: string, refusal: Refused, options: ValidateOptions, now: number): void {
    const ofKey = this.#perKey.get(keyId) ?? 0;
    if (this.#samples.length >= SAMPLES_MAX || ofKey >= PER_KEY_MAX) return;
    this.#perKey.set(keyId, ofKey + 1);
    const { code, missing, limit = code === 'rate_limited' ? 'default' : undefined } = refusal;
    const { clientIP, originDomain: origin } = options;
    this.#samples.push({
      keyId,
      code: code as ReportedRefusal['code'],
      at: now,
      ...(isText(clientIP, ADDRESS_LENGTH_MAX) && { clientIP }),
      ...(typeof origin === 'string' && { origin: origin.slice(0, ORIGIN_LENGTH_MAX) }),
      ...(missing && { missing: [...missing] }),
      ...(limit !== undefined && { limit }),
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

const isText = (value: unknown, lengthMax: number): value is string =>
  typeof value === 'string' && value.length <= lengthMax;

/** As the server expects it. */
export const reported = ({ at, ...sample }: Sample, now: number): ReportedRefusal => ({
  ...sample,
  agoMs: Math.max(0, Math.round(now - at)),
});
