import { KeywardError } from './errors.ts';

export interface ResponseLimits {
  /** Most that one account may have in memory. */
  readonly accountBytes: number;
  /** Most that all accounts may have in memory together. */
  readonly totalBytes: number;
  /** How long a response waits for room before it is refused. */
  readonly waitMs: number;
}

const MB = 1024 * 1024;
const LIMITS: ResponseLimits = { accountBytes: 16 * MB, totalBytes: 256 * MB, waitMs: 1_000 };

/** An account may use this part of what is left, so that something is always left for others. */
const SHARE_OF_REST = 1 / 4;

const TOO_MANY_BYTES =
  'Too many responses of this account are being built or have not been read yet. Read them, or send fewer requests at a time.';

/** The memory of one response. */
export interface HeldResponse {
  /** The response has been built: from now on it holds what it really takes. */
  send(bytes: number): void;
  /** The client has received the response, or its connection is gone. Calling it twice does no harm. */
  release(): void;
}

interface AccountResponses {
  /** Reserved for responses that are being built. */
  reserved: number;
  /** Of responses that clients have not received yet. */
  unread: number;
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly bytes: number;
  start(): void;
}

/**
 * Bounds the memory of responses for each account and for all of them, from before a response is built until
 * the kernel has accepted it. Without it, 200 unread lists took 1.8 GB.
 *
 * A response is reserved → unread → released. Only reserving can be refused; a response that is
 * counted when it is complete (`send`) may be the result of a change, which has happened.
 */
export class ResponseBudget {
  readonly #limits: ResponseLimits;
  readonly #accounts = new Map<string, AccountResponses>();
  #reserved = 0;
  #unread = 0;
  /** Responses refused for lack of room. */
  refused = 0;

  constructor(limits: Partial<ResponseLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Of all accounts. */
  get bytes(): number {
    return this.#reserved + this.#unread;
  }

  /** Accounts that have a response reserved, unread or waiting. */
  get accounts(): number {
    return this.#accounts.size;
  }

  /** Throws if an account has so many unread bytes that its requests must not be handled. */
  admit(account: string): void {
    const unread = this.#accounts.get(account)?.unread ?? 0;
    if (unread > 0 && unread >= this.#roomOf()) throw this.#refusal();
  }

  /** Reserves memory before a response is built. Waits for room for a second, then rejects. */
  reserve(account: string, bytes: number): HeldResponse | Promise<HeldResponse> {
    const responses = this.#of(account);
    if (responses.waiting.length === 0 && this.#fits(responses, bytes))
      return this.#hold(account, bytes);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        bytes,
        start: () => {
          clearTimeout(timer);
          resolve(this.#hold(account, bytes));
        },
      };
      const timer = setTimeout(() => {
        responses.waiting.splice(responses.waiting.indexOf(waiting), 1);
        // Other accounts may have made room, which wakes nobody here.
        if (this.#fits(responses, bytes)) return waiting.start();
        this.#forgetIfEmpty(account, responses);
        reject(this.#refusal());
      }, this.#limits.waitMs);
      responses.waiting.push(waiting);
    });
  }

  /** Counts a complete response until it is released. */
  send(account: string, bytes: number): HeldResponse {
    const held = this.#hold(account, 0);
    held.send(bytes);
    return held;
  }

  #hold(account: string, bytes: number): HeldResponse {
    let [reserved, unread] = [0, 0];
    const set = (nextReserved: number, nextUnread: number) => {
      this.#add(account, nextReserved - reserved, nextUnread - unread);
      [reserved, unread] = [nextReserved, nextUnread];
    };
    set(bytes, 0);
    let isReleased = false;
    return {
      send: (actual) => {
        if (!isReleased) set(0, actual);
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        set(0, 0);
      },
    };
  }

  #add(account: string, reserved: number, unread: number): void {
    const responses = this.#of(account);
    responses.reserved += reserved;
    responses.unread += unread;
    this.#reserved += reserved;
    this.#unread += unread;
    if (reserved + unread >= 0) return;
    const { waiting } = responses;
    while (waiting.length > 0 && this.#fits(responses, waiting[0]!.bytes)) waiting.shift()!.start();
    this.#forgetIfEmpty(account, responses);
  }

  #fits({ reserved, unread }: AccountResponses, bytes: number): boolean {
    return reserved + unread + bytes <= this.#roomOf();
  }

  #roomOf(): number {
    const { accountBytes, totalBytes } = this.#limits;
    return Math.min(accountBytes, (totalBytes - this.bytes) * SHARE_OF_REST);
  }

  #of(account: string): AccountResponses {
    let responses = this.#accounts.get(account);
    if (responses === undefined) {
      responses = { reserved: 0, unread: 0, waiting: [] };
      this.#accounts.set(account, responses);
    }
    return responses;
  }

  #forgetIfEmpty(account: string, { reserved, unread, waiting }: AccountResponses): void {
    if (reserved === 0 && unread === 0 && waiting.length === 0) this.#accounts.delete(account);
  }

  #refusal(): KeywardError {
    this.refused++;
    return new KeywardError('overloaded', TOO_MANY_BYTES, { headers: ['Retry-After', '1'] });
  }
}
