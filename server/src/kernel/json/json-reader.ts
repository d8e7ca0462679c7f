import { KeywardError } from '../errors.ts';

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
const WORDS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SHOWN_NAME_LENGTH = 64;
/** Reading this much takes up to 5 ms: a megabyte of small numbers takes 80 ms. */
const SLICE_CHARS = 64 * 1024;
/** No item of an import needs more, and it is read in one piece. */
const ITEM_CHARS_MAX = 128 * 1024;

/** Parses one text. It recurses once per level, so `levels` also limits the stack. */
export class JsonReader {
  readonly #text: string;
  readonly #levels: number;
  #at = 0;
  /** Where the current item must end. */
  #itemEnd = Number.POSITIVE_INFINITY;
  /** The fields and indexes that lead to the current value. */
  readonly #path: (string | number)[] = [];

  constructor(text: string, levels: number) {
    this.#text = text;
    this.#levels = levels;
  }

  read(): unknown {
    const value = this.#value();
    this.#checkEnd();
    return value;
  }

  /**
   * Like `read`, for large texts: calls `pause` between slices of a list that is the text itself, or one of its
   * fields.
   */
  async readInSlices(pause: () => Promise<void>): Promise<unknown> {
    this.#skipSpace();
    const isObject = this.#text[this.#at] === '{';
    const value = await (isObject ? this.#objectInSlices(pause) : this.#valueInSlices(pause));
    this.#checkEnd();
    return value;
  }

  async #objectInSlices(pause: () => Promise<void>): Promise<Record<string, unknown>> {
    this.#enterLevel();
    const object: Record<string, unknown> = {};
    if (this.#accept('}')) return object;
    do {
      const name = this.#fieldName(object);
      this.#path.push(name);
      object[name] = await this.#valueInSlices(pause);
      this.#path.pop();
    } while (this.#accept(','));
    if (!this.#accept('}')) this.#failHere();
    return object;
  }

  async #valueInSlices(pause: () => Promise<void>): Promise<unknown> {
    this.#skipSpace();
    if (this.#text[this.#at] !== '[') return this.#item();
    this.#enterLevel();
    const array: unknown[] = [];
    if (this.#accept(']')) return array;
    let pauseAt = this.#at + SLICE_CHARS;
    do {
      if (this.#at > pauseAt) {
        await pause();
        pauseAt = this.#at + SLICE_CHARS;
      }
      this.#path.push(array.length);
      array.push(this.#item());
      this.#path.pop();
    } while (this.#accept(','));
    if (!this.#accept(']')) this.#failHere();
    return array;
  }

  /** A value that is read in one piece, so it must not be too long. */
  #item(): unknown {
    this.#itemEnd = this.#at + ITEM_CHARS_MAX;
    const value = this.#value();
    this.#itemEnd = Number.POSITIVE_INFINITY;
    return value;
  }

  #checkEnd(): void {
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#failHere();
  }

  #value(): unknown {
    if (this.#at > this.#itemEnd)
      throw new KeywardError(
        'invalid_body',
        `The body has a value of more than ${ITEM_CHARS_MAX / 1024} KB${this.#in()}.`,
      );
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  #object(): Record<string, unknown> {
    this.#enterLevel();
    const object: Record<string, unknown> = {};
    if (this.#accept('}')) return object;
    do {
      const name = this.#fieldName(object);
      this.#path.push(name);
      object[name] = this.#value();
      this.#path.pop();
    } while (this.#accept(','));
    if (!this.#accept('}')) this.#failHere();
    return object;
  }

  /** The name of the next field of an object, and the colon after it. */
  #fieldName(object: Record<string, unknown>): string {
    this.#skipSpace();
    if (this.#text[this.#at] !== '"') this.#failHere();
    const name = this.#string();
    this.#checkName(name, object);
    if (!this.#accept(':')) this.#failHere();
    return name;
  }

  #array(): unknown[] {
    this.#enterLevel();
    const array: unknown[] = [];
    if (this.#accept(']')) return array;
    do {
      this.#path.push(array.length);
      array.push(this.#value());
      this.#path.pop();
    } while (this.#accept(','));
    if (!this.#accept(']')) this.#failHere();
    return array;
  }

  /** The length of the path is the nesting level. */
  #enterLevel(): void {
    this.#at += 1;
    if (this.#path.length < this.#levels) return;
    throw new KeywardError('invalid_body', `The body has more than ${this.#levels} levels.`);
  }

  #checkName(name: string, object: Record<string, unknown>): void {
    if (Object.hasOwn(object, name)) {
      throw new KeywardError('invalid_body', `The body has the field ${this.#show(name)} twice.`);
    }
    const reachesPrototype =
      name === '__proto__' || (name === 'prototype' && this.#path.at(-1) === 'constructor');
    if (reachesPrototype) {
      const message = `The body has a field that is not allowed: ${this.#show(name)}.`;
      throw new KeywardError('invalid_body', message);
    }
  }

  #string(): string {
    const quoted = this.#text.slice(this.#at, this.#endOfString());
    const string = quoted.includes('\\') ? this.#unescape(quoted) : quoted.slice(1, -1);
    this.#at += quoted.length;
    if (string.includes('\0')) this.#failText('a NUL character');
    if (!string.isWellFormed()) this.#failText('half of a surrogate pair');
    return string;
  }

  /** Not a regular expression: alternatives in a repetition are slow on long texts. */
  #endOfString(): number {
    for (let at = this.#at + 1; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) return at + 1;
      if (code === BACKSLASH) at += 1;
      else if (code < 0x20) break;
    }
    return this.#failInString();
  }

  #unescape(quoted: string): string {
    try {
      return JSON.parse(quoted) as string;
    } catch {
      return this.#failInString();
    }
  }

  #word(): unknown {
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    const digits = this.#match(NUMBER);
    if (digits === '') this.#failHere();
    const number = Number(digits);
    if (Number.isFinite(number)) return number;
    throw new KeywardError('invalid_body', `The body has a number that is too large${this.#in()}.`);
  }

  #accept(character: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    this.#match(SPACE);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #failText(what: string): never {
    throw new KeywardError('invalid_body', `The body has ${what}${this.#in()}.`);
  }

  #failInString(): never {
    throw new KeywardError(
      'invalid_json',
      `The body is not valid JSON: the string that starts at ${this.#where()} is not closed, or contains an unescaped control character or an invalid escape.`,
    );
  }

  #failHere(): never {
    const character = this.#text.codePointAt(this.#at);
    throw new KeywardError(
      'invalid_json',
      character === undefined
        ? 'The body is not valid JSON: it ends too early.'
        : `The body is not valid JSON: unexpected ${JSON.stringify(String.fromCodePoint(character))} at ${this.#where()}.`,
    );
  }

  #where(): string {
    const before = this.#text.slice(0, this.#at).split('\n');
    return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
  }

  #in(): string {
    return this.#path.length === 0 ? '' : ` in ${this.#show()}`;
  }

  /** `"customMetaData.tags[2].name"`, truncated if too long. */
  #show(name?: string): string {
    const parts = name === undefined ? this.#path : [...this.#path, name];
    const path = parts
      .map((part, index) => (typeof part === 'number' ? `[${part}]` : index ? `.${part}` : part))
      .join('');
    const shown =
      path.length > SHOWN_NAME_LENGTH
        ? `${path.slice(0, SHOWN_NAME_LENGTH).toWellFormed()}…`
        : path;
    return JSON.stringify(shown);
  }
}
