import { type NumberBlock, packed, unpacked } from './number-block.ts';
import type { Bound, ManyRequest, QueryRequest, Request, ScriptRequest } from './wire.ts';

/** Statements that have a number; later ones travel in full, so that filters nobody repeats take no memory. */
const NUMBERED_MAX = 512;

/** A number that both ends know, one that comes with its text for the first time, or the text. */
type Text = number | readonly [number, string] | string;

type ShortenedQuery = Omit<QueryRequest, 'sql'> & { readonly text: Text };

interface ShortenedMany {
  readonly kind: 'many';
  readonly text: Text;
  readonly rows: ManyRequest['rows'] | NumberBlock;
}

interface ShortenedScript extends Omit<ScriptRequest, 'steps'> {
  /** Text and parameters by turns: names of properties are cloned with every object. */
  readonly flat: readonly (Text | readonly unknown[])[];
}

/** A request on its way: the text of a statement goes along only once. */
export type Sent =
  | Exclude<Request, QueryRequest | ManyRequest | ScriptRequest>
  | ShortenedQuery
  | ShortenedMany
  | ShortenedScript;

/** At the end that asks: cloning the text of a statement takes longer than cloning its parameters. */
export class StatementNumbers {
  readonly #numbers = new Map<string, number>();

  short(request: Request): Sent {
    switch (request.kind) {
      case 'query':
        return { kind: 'query', text: this.#text(request.sql), parameters: request.parameters };
      case 'many':
        return { kind: 'many', text: this.#text(request.sql), rows: packed(request.rows) };
      case 'script': {
        const { guards, steps } = request;
        const flat = steps.flatMap(({ sql, parameters }) => [this.#text(sql), parameters]);
        return { kind: 'script', guards, flat };
      }
      default:
        return request;
    }
  }

  #text(sql: string): Text {
    const known = this.#numbers.get(sql);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    if (number >= NUMBERED_MAX) return sql;
    this.#numbers.set(sql, number);
    return [number, sql];
  }
}

/** At the end that answers. */
export class StatementTexts {
  readonly #texts: string[] = [];

  whole(sent: Sent | Bound): Request | Bound {
    switch (sent.kind) {
      case 'query':
        return { kind: 'query', sql: this.#sql(sent.text), parameters: sent.parameters };
      case 'many':
        return { kind: 'many', sql: this.#sql(sent.text), rows: unpacked(sent.rows) };
      case 'script':
        return { kind: 'script', guards: sent.guards, steps: this.#steps(sent.flat) };
      default:
        return sent;
    }
  }

  #steps(flat: ShortenedScript['flat']): ScriptRequest['steps'] {
    const steps: ScriptRequest['steps'][number][] = [];
    for (let at = 0; at < flat.length; at += 2)
      steps.push({
        sql: this.#sql(flat[at] as Text),
        parameters: flat[at + 1] as readonly unknown[],
      });
    return steps;
  }

  #sql(text: Text): string {
    if (typeof text === 'string') return text;
    if (typeof text === 'number') return this.#texts[text]!;
    const [number, sql] = text;
    this.#texts[number] = sql;
    return sql;
  }
}
