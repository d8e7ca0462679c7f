import { ERRORS } from '../../kernel/errors.ts';
import type { PreparedKey } from './prepared-key.ts';
import type { Verdict } from './validator.ts';

/** For a head in front of the results: ours have some 250 bytes. */
const HEAD_ROOM = 512;
/** As constants are in memory, so they are written. */
const IS_LITTLE = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
const FIRST_BYTES = 2 ** 16;
/** A larger one, which few answers need, is not kept. */
const KEPT_BYTES_MAX = 2 ** 20;
/** More than a result takes around its record, with what divides and encloses them. */
const AROUND_BYTES = 512;

const [COMMA, OPENING, CLOSING, ZERO, POINT] = [...Buffer.from(',[]0.')] as [
  number,
  number,
  number,
  number,
  number,
];
/** What `write` calls in the end. Finding out which costs as much as writing. */
interface DirectBuffer extends Buffer<ArrayBuffer> {
  latin1Write(text: string, offset: number, length: number): number;
}

/** A text as it is copied: four bytes at a time, of which the last may be one too many. */
interface Constant {
  readonly words: Int32Array;
  readonly length: number;
}

function constant(text: string): Constant {
  const words = new Int32Array(Math.ceil(text.length / 4));
  Buffer.from(words.buffer).write(text, 'latin1');
  return { words, length: text.length };
}

/** 00 to 99. */
const PAIRS = new Uint16Array(100);
for (let n = 0; n < 100; n++)
  Buffer.from(PAIRS.buffer).write(String(n).padStart(2, '0'), 2 * n, 'latin1');

const VALID = constant('{"valid":true,"statusCode":200,"code":"valid","record":');
const LIMITED = constant('{"valid":false,"statusCode":429,"code":"rate_limited"');
const LIMIT = constant(',"rateLimit":{"limit":');
const REMAINING = constant(',"remaining":');
const CONSUMED = constant(',"consumed":');
const RESET = constant(',"reset":');
const RETRY_AFTER = constant(',"retryAfterSeconds":');
const END = constant('}');
const ENDS = constant('}}');

/**
 * The results of a batch as the bytes that are sent. All of them go into one block of memory that
 * is used again for the next batch: put together as a text, each would first be a tree of its parts,
 * then a text, then a copy to send, and all three would be garbage.
 */
export class ResultSheet {
  #bytes = block(FIRST_BYTES);
  #view = viewOf(this.#bytes);
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
    this.#take(block(FIRST_BYTES));
    this.#end = HEAD_ROOM;
  }

  #take(bytes: DirectBuffer): void {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
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
    if (verdict.taken === null) this.#put(END);
    else this.#limit(verdict.key.rateLimit, verdict.taken, now);
  }

  #valid({ body, bodyBytes, encoding }: PreparedKey): void {
    this.#reserve(bodyBytes + AROUND_BYTES);
    this.#put(VALID);
    if (encoding === 'latin1') this.#bytes.latin1Write(body, this.#end, bodyBytes);
    else this.#bytes.write(body, this.#end, encoding);
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
    this.#put(ENDS);
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#bytes.length) return;
    const grown = block(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(grown, 0, 0, this.#end);
    this.#take(grown);
  }

  #byte(byte: number): void {
    this.#bytes[this.#end++] = byte;
  }

  /** By hand: so few bytes are there sooner than a call that copies them has begun. */
  #put({ words, length }: Constant): void {
    const end = this.#end;
    for (let n = 0; n < words.length; n++) this.#view.setInt32(end + 4 * n, words[n]!, IS_LITTLE);
    this.#end = end + length;
  }

  #ascii(text: string): void {
    this.#end += this.#bytes.write(text, this.#end, 'latin1');
  }

  #whole(number: number): void {
    if (!(number >= 0 && number <= 0x7fff_ffff)) {
      this.#ascii(String(number));
      return;
    }
    let rest = number | 0;
    const end = this.#end + digitsOf(rest);
    let at = end;
    for (; rest >= 10; at -= 2) {
      const hundredth = (rest / 100) | 0;
      this.#view.setUint16(at - 2, PAIRS[rest - 100 * hundredth]!, IS_LITTLE);
      rest = hundredth;
    }
    if (at > this.#end) this.#bytes[at - 1] = ZERO + rest;
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

const block = (bytes: number) => Buffer.allocUnsafeSlow(bytes) as DirectBuffer;

const viewOf = (bytes: Buffer): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Of a number from 0 to 2³¹ − 1. */
function digitsOf(number: number): number {
  if (number < 10_000) return number < 100 ? (number < 10 ? 1 : 2) : number < 1_000 ? 3 : 4;
  if (number < 100_000_000)
    return number < 1_000_000 ? (number < 100_000 ? 5 : 6) : number < 10_000_000 ? 7 : 8;
  return number < 1_000_000_000 ? 9 : 10;
}
