import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Change, ChangeBus, ChangeListener, ChangeNews } from '../change-bus.ts';

/**
 * How a thread learns of changes before it answers anything: the thread that makes them puts each
 * into the mailbox, then raises the count; the other looks at the count before every answer, and
 * empties the mailbox when it was raised. So a change is in force on all threads when `publish`
 * returns, and nobody waits for anybody.
 */
export interface ThreadChanges {
  readonly mailbox: MessagePort;
  /** The count, then until when what is remembered may be served. */
  readonly state: SharedArrayBuffer;
  /** How long it may be served when the other thread cannot tell of anything. */
  readonly staleMs: number;
}

const countIn = (state: SharedArrayBuffer): Int32Array => new Int32Array(state, 0, 1);
const trustedUntilIn = (state: SharedArrayBuffer): Float64Array => new Float64Array(state, 8, 1);

/** Milliseconds that never run backwards and are the same on all threads. */
const sharedNow = (): number => Number(process.hrtime.bigint()) / 1e6;

const TOUCH_EVERY_MS = 100;

/** Tells other threads of all changes that `bus` tells of. */
export class ThreadChangesTeller {
  readonly #bus: ChangeBus;
  readonly #staleMs: number;
  readonly #threads: { mailbox: MessagePort; state: SharedArrayBuffer }[] = [];
  #touching: NodeJS.Timeout | undefined;

  constructor(bus: ChangeBus, staleMs: number) {
    this.#bus = bus;
    this.#staleMs = staleMs;
    bus.subscribe((changes) => {
      for (const { mailbox, state } of this.#threads) {
        mailbox.postMessage(changes);
        Atomics.add(countIn(state), 0, 1);
      }
    });
  }

  /** The end of a new mailbox that the thread is to have. */
  open(): ThreadChanges {
    const { port1, port2 } = new MessageChannel();
    const state = new SharedArrayBuffer(16);
    this.#threads.push({ mailbox: port1, state });
    this.#touch();
    this.#touching ??= setInterval(() => this.#touch(), TOUCH_EVERY_MS).unref();
    return { mailbox: port2, state, staleMs: this.#staleMs };
  }

  stop(): void {
    clearInterval(this.#touching);
    for (const { mailbox } of this.#threads) mailbox.close();
  }

  #touch(): void {
    const until = this.#bus.isInTouch() ? sharedNow() + this.#staleMs - this.#bus.behindMs : 0;
    for (const { state } of this.#threads) trustedUntilIn(state)[0] = until;
  }
}

/** The news on the thread that is told. */
export function hearChanges({ mailbox, state, staleMs }: ThreadChanges): ChangeNews {
  const listeners: ChangeListener[] = [];
  const count = countIn(state);
  const trustedUntil = trustedUntilIn(state);
  let heard = 0;

  function emptyMailbox(): void {
    heard = Atomics.load(count, 0);
    for (let said = receiveMessageOnPort(mailbox); said; said = receiveMessageOnPort(mailbox))
      for (const listener of listeners) listener(said.message as Change[]);
  }

  return {
    subscribe: (listener) => listeners.push(listener),
    isInTouch() {
      if (Atomics.load(count, 0) !== heard) emptyMailbox();
      const until = trustedUntil[0]!;
      // A process that is alone makes every change itself, and never has to look at the time.
      return until === Number.POSITIVE_INFINITY || sharedNow() < until;
    },
    get behindMs() {
      const until = trustedUntil[0]!;
      return until === Number.POSITIVE_INFINITY ? 0 : staleMs - (until - sharedNow());
    },
  };
}
