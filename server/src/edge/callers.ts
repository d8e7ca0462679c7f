import { Decider } from 'keyward/internal';
import { unauthorized } from '../http/gate/credentials.ts';
import type { RouteResponse } from '../kernel/route.ts';
import { permissionRequest, type Upstream, UpstreamUnavailable } from './upstream.ts';

/** Each caller has a stream of changes, leases and usage reports of its own. */
const CALLERS_MAX = 16;
/** A caller that was silent for this long is dropped, which closes its stream. */
const IDLE_MS = 10 * 60_000;
const DROP_IDLE_EVERY_MS = 60_000;
/** Of reports and returned leases, for which nobody waits. */
const REPORT_TIMEOUT_MS = 2_000;

interface Parts {
  readonly url: string;
  readonly upstream: Upstream;
  /** Timeout of lease requests; callers wait for them. */
  readonly timeoutMs: number;
  /** How long known keys are served while the server is unavailable; null: not at all. */
  readonly staleMs: number | null;
  readonly log: (message: string) => void;
}

/** An access key that the edge serves, with its cached keys and leases. */
export class Caller {
  readonly accessKey: string;
  readonly decider: Decider;
  usedAt = performance.now();

  /** `onRefused`: called when the server refuses this access key a stream of changes. */
  constructor(parts: Parts, accessKey: string, onRefused: () => void) {
    const { url, upstream, timeoutMs, staleMs, log } = parts;
    this.accessKey = accessKey;
    const watchedFetch: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      const isRefused = response.status === 401 || response.status === 403;
      if (isRefused && String(input).endsWith('/changes')) onRefused();
      return response;
    };
    const serveKnown = {
      onUnavailable: 'serve-known',
      staleSeconds: (staleMs ?? 0) / 1000,
    } as const;
    const options = {
      url,
      accessKey,
      validationTimeoutMs: timeoutMs,
      timeoutMs: Math.max(timeoutMs, REPORT_TIMEOUT_MS),
      ...(staleMs !== null && serveKnown),
      log,
      fetch: watchedFetch,
    };
    this.decider = new Decider(options, upstream.breaker);
  }
}

/** `RouteResponse`: the server's refusal of the access key. `full`: the edge has as many callers as it can serve. */
export type Admission = Caller | RouteResponse | 'full';

/**
 * The callers of an edge, by access key. At the first request with an access key, the edge asks the server
 * whether that access key may validate.
 *
 * unknown → admitted (the server accepts the access key) → dropped (the server refuses it, or idle)
 */
export class Callers {
  readonly #parts: Parts;
  readonly #byAccessKey = new Map<string, Caller>();
  readonly #admissions = new Map<string, Promise<Admission>>();
  readonly #droppingIdle = setInterval(() => this.#dropIdle(), DROP_IDLE_EVERY_MS).unref();
  /** The edge's own access key; never dropped. */
  readonly own: Caller;

  constructor(parts: Parts, ownAccessKey: string) {
    this.#parts = parts;
    this.own = this.#add(ownAccessKey);
  }

  get all(): readonly Caller[] {
    return [...this.#byAccessKey.values()];
  }

  get(accessKey: string): Caller | undefined {
    const caller = this.#byAccessKey.get(accessKey);
    if (caller !== undefined) caller.usedAt = performance.now();
    return caller;
  }

  /** Throws UpstreamUnavailable, or 401 for text that cannot be an access key. */
  admit(accessKey: string): Promise<Admission> {
    const pending = this.#admissions.get(accessKey);
    if (pending !== undefined) return pending;
    const admission = this.#ask(accessKey).finally(() => this.#admissions.delete(accessKey));
    this.#admissions.set(accessKey, admission);
    return admission;
  }

  /** The server no longer accepts this access key. */
  drop(accessKey: string): void {
    const caller = this.#byAccessKey.get(accessKey);
    if (caller === undefined || caller === this.own) return;
    this.#byAccessKey.delete(accessKey);
    void caller.decider.close();
  }

  async close(): Promise<void> {
    clearInterval(this.#droppingIdle);
    await Promise.all(this.all.map(({ decider }) => decider.close()));
  }

  async #ask(accessKey: string): Promise<Admission> {
    const { upstream } = this.#parts;
    if (!/^[\x21-\x7e]+$/.test(accessKey)) throw unauthorized('credential_invalid');
    const response = await upstream.send(permissionRequest(accessKey));
    const { status } = response;
    if (status === 401 || status === 403) return response;
    if (status !== 200) throw new UpstreamUnavailable(`The server responded with ${status}.`);
    const known = this.#byAccessKey.get(accessKey);
    if (known !== undefined) return known;
    return this.#byAccessKey.size >= CALLERS_MAX ? 'full' : this.#add(accessKey);
  }

  #add(accessKey: string): Caller {
    const caller = new Caller(this.#parts, accessKey, () => this.drop(accessKey));
    this.#byAccessKey.set(accessKey, caller);
    return caller;
  }

  #dropIdle(): void {
    const idleSince = performance.now() - IDLE_MS;
    for (const { accessKey, usedAt } of this.all) if (usedAt < idleSince) this.drop(accessKey);
  }
}
