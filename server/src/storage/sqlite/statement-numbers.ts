import type { Bound, ManyRequest, QueryRequest, Request } from './wire.ts';

/** Statements that have a number; later ones travel in full, so that filters nobody repeats take no memory. */
const NUMBERED_MAX = 512;

type Numbered<R extends QueryRequest | ManyRequest> = Omit<R, 'sql'> & {
  readonly number: number;
  /** Given the first time. */
  readonly sql?: string;
};

/** A request on its way: the text of a statement goes along only once. */
export type Sent = Request | Numbered<QueryRequest> | Numbered<ManyRequest>;

/** At the end that asks: cloning the text of a statement takes longer than cloning its parameters. */
export class StatementNumbers {
  readonly #numbers = new Map<string, number>();

  short(request: Request): Sent {
    if (request.kind !== 'query' && request.kind !== 'many') return request;
    const { sql, ...rest } = request;
    const known = this.#numbers.get(sql);
    if (known !== undefined) return { ...rest, number: known };
    if (this.#numbers.size >= NUMBERED_MAX) return request;
    const number = this.#numbers.size;
    this.#numbers.set(sql, number);
    return { ...rest, number, sql };
  }
}

/** At the end that answers. */
export class StatementTexts {
  readonly #texts: string[] = [];

  whole(sent: Sent | Bound): Request | Bound {
    if (!('number' in sent)) return sent;
    const { number, sql, ...rest } = sent;
    if (sql !== undefined) this.#texts[number] = sql;
    return { ...rest, sql: this.#texts[number]! };
  }
}
