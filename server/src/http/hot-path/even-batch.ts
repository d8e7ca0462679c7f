import { type EvenValues, ONE_BLOCK_MAX } from '../../cluster/places/place-hasher.ts';

const START = '{"keys":["';
const [QUOTE, COMMA, BRACKET, BRACE] = [...Buffer.from('",]}')];

/**
 * A batch whose values all seem to be as long as its first one, as those of one making are. Only
 * what stands between them was looked at, so that a value might hold a quote or a backslash, and be
 * another or several. That need not be known as long as all of them are found in memory: it holds
 * well-formed values alone, in which there is neither. Otherwise the body has to be read with care.
 */
export class EvenBatch implements EvenValues {
  readonly bytes: Buffer;
  readonly first = START.length;
  readonly step: number;
  readonly length: number;
  readonly count: number;

  private constructor(body: Buffer, length: number, count: number) {
    this.bytes = body;
    this.length = length;
    this.step = length + BETWEEN;
    this.count = count;
  }

  static in(body: Buffer, countMax: number): EvenBatch | null {
    const length = body.indexOf(QUOTE!, START.length) - START.length;
    if (length < 1 || length > ONE_BLOCK_MAX) return null;
    const count = (body.length - START.length) / (length + BETWEEN);
    if (!Number.isInteger(count) || count > countMax) return null;
    const batch = new EvenBatch(body, length, count);
    return batch.#isDivided() ? batch : null;
  }

  text(): string {
    return this.bytes.toString('latin1');
  }

  #isDivided(): boolean {
    const { bytes, step } = this;
    const last = bytes.length - BETWEEN;
    for (let at = START.length + this.length; at < last; at += step)
      if (bytes[at] !== QUOTE || bytes[at + 1] !== COMMA || bytes[at + 2] !== QUOTE) return false;
    return bytes[last] === QUOTE && bytes[last + 1] === BRACKET && bytes[last + 2] === BRACE;
  }
}

/** `","` between two values, and `"]}` behind the last. */
const BETWEEN = 3;
