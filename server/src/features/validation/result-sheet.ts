import { ERRORS } from '../../kernel/errors.ts';
import type { PreparedKey } from './prepared-key.ts';
import type { Verdict } from './validator.ts';

/** For a head in front of the results: ours have some 250 bytes. */
const HEAD_ROOM = 512;
const FIRST_BYTES = 2 ** 16;
/** A larger one, which few answers need, is not kept. */
const KEPT_BYTES_MAX = 2 ** 20;
/** More than a result takes around its record. */
const AROUND_BYTES = 512;

const [COMMA, OPENING, CLOSING, ZERO, POINT] = [...Buffer.from(',[]0.')] as [
  number,
  number,
  number,
  number,
  number,
];
const VALID = Buffer.from('{"valid":true,"statusCode":200,"code":"valid","record":');
const LIMITED = Buffer.from('{"valid":false,"statusCode":429,"code":"rate_limited"');
const LIMIT = Buffer.from(',"rateLimit":{"limit":');
const REMAINING = Buffer.from(',"remaining":');
const CONSUMED = Buffer.from(',"consumed":');
const RESET = Buffer.from(',"reset":');
const RETRY_AFTER = Buffer.from(',"retryAfterSeconds":');
const END = Buffer.from('}');

/**
 * The results of a batch as the bytes that are sent. All of them go into one block of memory that
 * is used again for the next batch: put together as a text, each would first be a tree of its parts,
 * then a text, then a copy to send, and all three would be garbage.
 */
export class ResultSheet {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #end = HEAD_ROOM;

  /** In the order asked. What stood here before is gone. */
  write(verdicts: readonly Verdict[], now: number): this {
    if (this.#bytes.length > KEPT_BYTES_MAX) this.leave();
    this.#end = HEAD_ROOM;
    this.#byte(OPENING);
    for (let n = 0; n < verdicts.length; n++) {
      if (n > 0) this.#byte(COMMA);
      this.#result(verdicts[n]!, now);
    }
    this.#byte(CLOSING);
    return this;
  }

  get length(): number {
    return this.#end - HEAD_ROOM;
  }

  text(): string {
    return this.#bytes.toString('utf8', HEAD_ROOM, this.#end);
  }

  copy(): Buffer {
    return Buffer.from(this.#bytes.subarray(HEAD_ROOM, this.#end));
  }

  /** Head and results in one piece, which stands until the next batch is written. */
  behind(head: string): Buffer {
    if (head.length > HEAD_ROOM) return Buffer.concat([Buffer.from(head, 'latin1'), this.copy()]);
    const start = HEAD_ROOM - head.length;
    this.#bytes.write(head, start, 'latin1');
    return this.#bytes.subarray(start, this.#end);
  }

  /** Somebody still reads the piece that was handed out: the next batch is written elsewhere. */
  leave(): void {
    this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
    this.#end = HEAD_ROOM;
  }

  #result(verdict: Verdict, now: number): void {
    if (verdict.kind === 'valid') this.#valid(verdict.key);
    else this.#reserve(AROUND_BYTES);
    if (verdict.kind === 'refused') {
      const [status] = ERRORS[verdict.code];
      this.#ascii(`{"valid":false,"statusCode":${status},"code":"${verdict.code}"}`);
      return;
    }
    if (verdict.kind === 'limited') this.#put(LIMITED);
    if (verdict.taken !== null) this.#limit(verdict.key.rateLimit, verdict.taken, now);
    this.#put(END);
  }

  #valid({ body, bodyBytes, encoding }: PreparedKey): void {
    this.#reserve(bodyBytes + AROUND_BYTES);
    this.#put(VALID);
    this.#bytes.write(body, this.#end, encoding);
    this.#end += bodyBytes;
  }

  #limit(
    rateLimit: number,
    { consumed, resetAt }: { readonly consumed: number; readonly resetAt: number },
    now: number,
  ): void {
    const counted = Math.min(consumed, rateLimit);
    this.#put(LIMIT);
    this.#whole(rateLimit);
    this.#put(REMAINING);
    this.#whole(rateLimit - counted);
    this.#put(CONSUMED);
    this.#whole(counted);
    this.#put(RESET);
    this.#whole(Math.ceil(resetAt / 1000));
    this.#put(RETRY_AFTER);
    this.#seconds(Math.max(0, resetAt - now));
    this.#put(END);
  }

  #reserve(bytes: number): void {
    // The room in front is not the results', and one byte each is for what encloses them.
    const needed = this.#end + bytes + 2;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(grown, 0, 0, this.#end);
    this.#bytes = grown;
  }

  #byte(byte: number): void {
    this.#bytes[this.#end++] = byte;
  }

  /** Byte by byte: so few are there sooner than a call that copies them has begun. */
  #put(bytes: Buffer): void {
    const to = this.#bytes;
    let end = this.#end;
    for (let n = 0; n < bytes.length; n++) to[end++] = bytes[n]!;
    this.#end = end;
  }

  #ascii(text: string): void {
    this.#end += this.#bytes.write(text, this.#end, 'latin1');
  }

  #whole(number: number): void {
    if (!(number >= 0 && number <= 0x7fff_ffff)) {
      this.#ascii(String(number));
      return;
    }
    let digits = 1;
    for (let limit = 10; number >= limit; limit *= 10) digits++;
    const end = this.#end + digits;
    let rest = number | 0;
    for (let at = end - 1; at >= this.#end; at--) {
      const tenth = (rest / 10) | 0;
      this.#bytes[at] = ZERO + rest - 10 * tenth;
      rest = tenth;
    }
    this.#end = end;
  }

  /** Milliseconds as seconds, as JSON writes numbers. */
  #seconds(ms: number): void {
    if (!Number.isInteger(ms)) {
      this.#ascii(String(ms / 1000));
      return;
    }
    this.#whole(Math.floor(ms / 1000));
    let rest = ms % 1000;
    if (rest === 0) return;
    this.#byte(POINT);
    for (; rest > 0; rest = (rest * 10) % 1000) this.#byte(ZERO + Math.floor(rest / 100));
  }
}
