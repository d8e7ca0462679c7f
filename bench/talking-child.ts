import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A child that is told lines and answers each with one line of JSON. */
export class TalkingChild {
  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(child: ChildProcess) {
    this.child = child;
    this.#lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  }

  tell(line: string): void {
    this.child.stdin!.write(`${line}\n`);
  }

  async hear<T>(): Promise<T> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('A process of the benchmark ended before it answered.');
    return JSON.parse(value as string) as T;
  }

  ask<T>(line: string): Promise<T> {
    this.tell(line);
    return this.hear<T>();
  }
}
