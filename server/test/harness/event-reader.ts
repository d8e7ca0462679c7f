export interface ReadEvent {
  readonly event: string;
  readonly data: ReturnType<typeof JSON.parse>;
  readonly id: string | null;
}

/** Reads a stream of server-sent events, one after the other. */
export class EventReader {
  readonly response: Response;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = '';

  private constructor(response: Response) {
    this.response = response;
    this.#reader = response.body!.getReader();
  }

  static async open(url: string, headers: Record<string, string>): Promise<EventReader> {
    return new EventReader(await fetch(url, { headers }));
  }

  /** Null at the end of the stream. */
  async next(): Promise<ReadEvent | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end >= 0) {
        const text = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        return eventOf(text);
      }
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** The next event that is not a beat. */
  async nextChange(): Promise<ReadEvent | null> {
    for (;;) {
      const event = await this.next();
      if (event?.event !== 'beat') return event;
    }
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }
}

function eventOf(text: string): ReadEvent {
  const fields = new Map(
    text.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]),
  );
  return {
    event: fields.get('event') ?? 'message',
    data: JSON.parse(fields.get('data') ?? 'null'),
    id: fields.get('id') ?? null,
  };
}
