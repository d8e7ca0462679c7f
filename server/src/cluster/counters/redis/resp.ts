/** A reply in RESP 2. Errors are values, like in the protocol. */
export type RespReply = number | string | null | Error | readonly RespReply[];

const CRLF = '\r\n';
const [CR, MINUS] = [0x0d, 0x2d];
/** Longer than any reply we request: the other side is not Redis. */
const LINE_MAX = 64 * 1024;

export function encodeCommand(args: readonly string[]): string {
  let text = `*${args.length}${CRLF}`;
  for (const arg of args) text += `$${Buffer.byteLength(arg)}${CRLF}${arg}${CRLF}`;
  return text;
}

/** Parses replies from chunks of a stream. */
export class RespReader {
  readonly #onReply: (reply: RespReply) => void;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(onReply: (reply: RespReply) => void) {
    this.#onReply = onReply;
  }

  /** Throws if the data is not RESP. */
  read(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    let done = 0;
    this.#at = 0;
    while (done < this.#bytes.length) {
      const reply = this.#reply();
      // Replies are short: an incomplete one is parsed again from its start.
      if (reply === undefined) break;
      done = this.#at;
      this.#onReply(reply);
    }
    this.#bytes = this.#bytes.subarray(done);
  }

  /** undefined: incomplete. */
  #reply(): RespReply | undefined {
    const kind = this.#bytes[this.#at];
    if (kind === undefined) return undefined;
    this.#at++;
    const start = this.#at;
    const end = this.#line();
    if (end === -1) return undefined;
    if (kind === 0x3a) return this.#number(start, end); // :
    if (kind === 0x2a) return this.#array(this.#number(start, end)); // *
    if (kind === 0x24) return this.#text(this.#number(start, end)); // $
    const line = this.#bytes.toString('utf8', start, end);
    if (kind === 0x2b) return line; // +
    if (kind === MINUS) return new Error(line);
    throw new Error('The server does not speak RESP 2; is it Redis?');
  }

  /** Index of the end of the current line; -1: incomplete. */
  #line(): number {
    const end = this.#bytes.indexOf(CR, this.#at);
    if (end === -1 || end + 1 >= this.#bytes.length) {
      if (this.#bytes.length - this.#at > LINE_MAX)
        throw new Error('The server does not speak RESP 2; is it Redis?');
      return -1;
    }
    this.#at = end + 2;
    return end;
  }

  #number(start: number, end: number): number {
    const isNegative = this.#bytes[start] === MINUS;
    let value = 0;
    for (let at = isNegative ? start + 1 : start; at < end; at++) {
      const digit = this.#bytes[at]! - 0x30;
      if (digit < 0 || digit > 9) throw new Error('The server does not speak RESP 2; is it Redis?');
      value = value * 10 + digit;
    }
    return isNegative ? -value : value;
  }

  #text(length: number): string | null | undefined {
    if (length < 0) return null;
    const start = this.#at;
    if (this.#bytes.length < start + length + CRLF.length) return undefined;
    this.#at = start + length + CRLF.length;
    return this.#bytes.toString('utf8', start, start + length);
  }

  #array(length: number): readonly RespReply[] | null | undefined {
    if (length < 0) return null;
    const all: RespReply[] = [];
    for (let n = 0; n < length; n++) {
      const one = this.#reply();
      if (one === undefined) return undefined;
      all.push(one);
    }
    return all;
  }
}
