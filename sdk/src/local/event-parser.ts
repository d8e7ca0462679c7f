export interface StreamEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly id: string | null;
}

/** More than this without the end of an event is no stream of ours. */
const UNFINISHED_MAX = 64 * 1024;

/** Server-sent events out of pieces of text. Throws at what is none. */
export class EventParser {
  #text = '';

  *push(piece: string): Generator<StreamEvent> {
    this.#text += piece;
    for (let end = this.#text.indexOf('\n\n'); end >= 0; end = this.#text.indexOf('\n\n')) {
      const text = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 2);
      yield eventOf(text);
    }
    if (this.#text.length > UNFINISHED_MAX) throw new Error('Not a stream of events.');
  }
}

function eventOf(text: string): StreamEvent {
  let event = 'message';
  let data = '';
  let id: string | null = null;
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') event = value;
    else if (name === 'data') data += value;
    else if (name === 'id') id = value;
  }
  return { event, data: data === '' ? {} : JSON.parse(data), id };
}
