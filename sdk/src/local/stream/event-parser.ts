export interface StreamEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly id: string | null;
}

/** Maximum size of an incomplete event; more is not a stream of Keyward. */
const UNFINISHED_MAX = 64 * 1024;

/** Parses server-sent events from chunks of text. Throws if the text is not an event stream. */
export class EventParser {
  #text = '';

  *push(chunk: string): Generator<StreamEvent> {
    this.#text += chunk;
    for (let end = this.#text.indexOf('\n\n'); end >= 0; end = this.#text.indexOf('\n\n')) {
      const text = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 2);
      yield eventOf(text);
    }
    if (this.#text.length > UNFINISHED_MAX) throw new Error('The response is not an event stream.');
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
