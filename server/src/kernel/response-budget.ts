import { KeywardError } from './errors.ts';

export interface ResponseLimits {
  /** Most that one account may have in memory. */
  readonly accountBytes: number;
  /** Most that all callers of one group may have in memory together. */
  readonly groupBytes: number;
  /** Most that all accounts may have in memory together. */
  readonly totalBytes: number;
  /** How long a response waits for room before it is refused. */
  readonly waitMs: number;
}

const MB = 1024 * 1024;
const LIMITS: ResponseLimits = {
  accountBytes: 16 * MB,
  groupBytes: 64 * MB,
  totalBytes: 256 * MB,
  waitMs: 1_000,
};

/** A payer may use this part of what is left, so that something is always left for others. */
const SHARE_OF_REST = 1 / 4;

/** Whose memory a response takes. */
export interface Payer {
  /** An account, or a caller whose responses are bounded apart from those of its account. */
  readonly name: string;
  /** Callers who have a bound each and one more together: the portal customers of an account. */
  readonly group?: string;
}

const TOO_MANY_BYTES =
  'Too many responses of this account are being built or have not been read yet. Read them, or send fewer requests at a time.';

/** The memory of one response. */
export interface HeldResponse {
  /** The response has been built: from now on it holds what it really takes. */
  send(bytes: number): void;
  /** The client has received the response, or its connection is gone. Calling it twice does no harm. */
  release(): void;
}

interface PayerResponses {
  /** Reserved for responses that are being built. */
  reserved: number;
  /** Of responses that clients have not received yet. */
  unread: number;
  readonly waiting: Waiting[];
  readonly payer: Payer;
}

interface Waiting {
  readonly bytes: number;
  start(): void;
}

/**
 * Bounds the memory of responses for each payer and for all of them, from before a response is built until
 * the kernel has accepted it. Without it, 200 unread lists took 1.8 GB.
 *
 * A response is reserved → unread → released. Only reserving can be refused; a response that is
 * counted when it is complete (`send`) may be the result of a change, which has happened.
 */
export class ResponseBudget {
  readonly #limits: ResponseLimits;
  readonly #payers = new Map<string, PayerResponses>();
  readonly #bytesOfGroups = new Map<string, number>();
  #reserved = 0;
  #unread = 0;
  /** Responses refused for lack of room. */
  refused = 0;

  constructor(limits: Partial<ResponseLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Of all payers. */
  get bytes(): number {
    return this.#reserved + this.#unread;
  }

  /** Payers that have a response reserved, unread or waiting. */
  get payers(): number {
    return this.#payers.size;
  }

  /** Throws if a payer has so many unread bytes that its requests must not be handled. */
  admit(payer: Payer): void {
    const unread = this.#payers.get(payer.name)?.unread ?? 0;
    if (unread > 0 && unread >= this.#roomOf(payer)) throw this.#refusal();
  }

  /** Reserves memory before a response is built. Waits for room for a second, then rejects. */
  reserve(payer: Payer, bytes: number): HeldResponse | Promise<HeldResponse> {
    const responses = this.#of(payer);
    if (responses.waiting.length === 0 && this.#fits(responses, bytes))
      return this.#hold(payer, bytes);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        bytes,
        start: () => {
          clearTimeout(timer);
          resolve(this.#hold(payer, bytes));
        },
      };
      const timer = setTimeout(() => {
        responses.waiting.splice(responses.waiting.indexOf(waiting), 1);
        // Other payers may have made room, which wakes nobody here.
        if (this.#fits(responses, bytes)) return waiting.start();
        this.#forgetIfEmpty(responses);
        reject(this.#refusal());
      }, this.#limits.waitMs);
      responses.waiting.push(waiting);
    });
  }

  /** Counts a complete response until it is released. */
  send(payer: Payer, bytes: number): HeldResponse {
    const held = this.#hold(payer, 0);
    held.send(bytes);
    return held;
  }

  #hold(payer: Payer, bytes: number): HeldResponse {
    let [reserved, unread] = [0, 0];
    const set = (nextReserved: number, nextUnread: number) => {
      this.#add(payer, nextReserved - reserved, nextUnread - unread);
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

  #add(payer: Payer, reserved: number, unread: number): void {
    const responses = this.#of(payer);
    responses.reserved += reserved;
    responses.unread += unread;
    this.#reserved += reserved;
    this.#unread += unread;
    this.#addToGroup(payer, reserved + unread);
    if (reserved + unread >= 0) return;
    const { waiting } = responses;
    while (waiting.length > 0 && this.#fits(responses, waiting[0]!.bytes)) waiting.shift()!.start();
    this.#forgetIfEmpty(responses);
  }

  #addToGroup({ group }: Payer, bytes: number): void {
    if (group === undefined) return;
    const total = (this.#bytesOfGroups.get(group) ?? 0) + bytes;
    if (total === 0) this.#bytesOfGroups.delete(group);
    else this.#bytesOfGroups.set(group, total);
  }

  #fits({ payer, reserved, unread }: PayerResponses, bytes: number): boolean {
    return reserved + unread + bytes <= this.#roomOf(payer);
  }

  #roomOf({ group }: Payer): number {
    const { accountBytes, groupBytes, totalBytes } = this.#limits;
    const rests = [totalBytes - this.bytes];
    if (group !== undefined) rests.push(groupBytes - (this.#bytesOfGroups.get(group) ?? 0));
    return Math.min(accountBytes, ...rests.map((rest) => rest * SHARE_OF_REST));
  }

  #of(payer: Payer): PayerResponses {
    let responses = this.#payers.get(payer.name);
    if (responses === undefined) {
      responses = { payer, reserved: 0, unread: 0, waiting: [] };
      this.#payers.set(payer.name, responses);
    }
    return responses;
  }

  #forgetIfEmpty({ payer, reserved, unread, waiting }: PayerResponses): void {
    if (reserved === 0 && unread === 0 && waiting.length === 0) this.#payers.delete(payer.name);
  }

  #refusal(): KeywardError {
    this.refused++;
    return new KeywardError('overloaded', TOO_MANY_BYTES, { headers: ['Retry-After', '1'] });
  }
}
