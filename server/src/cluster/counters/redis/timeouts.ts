import { setImmediate as nextTurn } from 'node:timers';

/** While other replies arrive, a check may wait for up to this multiple of the timeout. */
const WAIT_FACTOR_MAX = 5;

/** One of `onReply`, `onError` and `onTimeout` is called, and `onLate` some time after `onTimeout`. */
export interface ReplyHandlers<T> {
  onReply(reply: T): void;
  onError(error: Error): void;
  onTimeout(error: Error): void;
  /** null: the reply was lost. */
  onLate(reply: T | null): void;
}

/** Timeouts of Redis replies. A wait fails when Redis has been silent for `timeoutMs`. */
export class RedisTimeouts {
  readonly timeoutMs: number;
  /** 0: no reply yet. */
  lastReplyAt = 0;
  /** Checks without a reply, including those that timed out. */
  pending = 0;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }

  /** Before a wait fails, data that has already arrived is read: the event loop may have been blocked. */
  wait<T>(
    promise: Promise<T>,
    checks: number,
    { onReply, onError, onTimeout, onLate }: ReplyHandlers<T>,
  ): void {
    this.pending += checks;
    const sentAt = performance.now();
    let isDone = false;
    const check = () => {
      if (isDone) return;
      const now = performance.now();
      const silentMs = now - Math.max(sentAt, this.lastReplyAt);
      if (silentMs >= this.timeoutMs || now - sentAt >= WAIT_FACTOR_MAX * this.timeoutMs) {
        isDone = true;
        onTimeout(new Error(`no reply within ${this.timeoutMs} ms`));
      } else timer = setTimeout(() => nextTurn(check), this.timeoutMs - silentMs);
    };
    let timer = setTimeout(() => nextTurn(check), this.timeoutMs);
    promise.then(
      (reply) => {
        this.pending -= checks;
        this.lastReplyAt = performance.now();
        if (isDone) return onLate(reply);
        isDone = true;
        clearTimeout(timer);
        onReply(reply);
      },
      (error: Error) => {
        this.pending -= checks;
        if (isDone) return onLate(null);
        isDone = true;
        clearTimeout(timer);
        onError(error);
      },
    );
  }
}
