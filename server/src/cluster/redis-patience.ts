import { setImmediate as nextTurn } from 'node:timers';

/** A long queue that moves is waited for, but not longer than this many times as long. */
const WAIT_FACTOR_MAX = 5;

/** What becomes of an answer: it is read in time, or given up, and then it may still come late. */
export interface Fate<T> {
  read(reply: T): void;
  giveUp(error: Error): void;
  late(reply: T): void;
}

/** How long answers of Redis are waited for: until it is silent for too long. */
export class RedisPatience {
  readonly timeoutMs: number;
  /** When it was heard of last; 0: never. */
  heardAt = 0;
  /** Checks whose answers have not come, be they given up or not. */
  underWay = 0;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }

  /** The event loop may have been held up itself: what lies ready is read before Redis is given up. */
  wait<T>(answer: Promise<T>, checks: number, { read, giveUp, late }: Fate<T>): void {
    this.underWay += checks;
    const sentAt = performance.now();
    let isOver = false;
    const end = (error: Error) => {
      isOver = true;
      clearTimeout(timer);
      giveUp(error);
    };
    const look = () => {
      if (isOver) return;
      const now = performance.now();
      const silentMs = now - Math.max(sentAt, this.heardAt);
      if (silentMs >= this.timeoutMs || now - sentAt >= WAIT_FACTOR_MAX * this.timeoutMs)
        end(new Error('Redis did not answer in time.'));
      else timer = setTimeout(() => nextTurn(look), this.timeoutMs - silentMs);
    };
    let timer = setTimeout(() => nextTurn(look), this.timeoutMs);
    answer.then(
      (reply) => {
        this.underWay -= checks;
        this.heardAt = performance.now();
        if (isOver) return late(reply);
        isOver = true;
        clearTimeout(timer);
        read(reply);
      },
      (error: Error) => {
        this.underWay -= checks;
        if (!isOver) end(error);
      },
    );
  }
}
