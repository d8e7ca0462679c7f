import type { MessagePort } from 'node:worker_threads';

/** What one thread offers another: names, and what comes of calling them. */
export type Offers = Readonly<Record<string, (...args: never[]) => unknown>>;

/** The same as seen from the other thread: whatever is answered is waited for. */
export type Asked<O extends Offers> = {
  readonly [Name in keyof O]: (
    ...args: Parameters<O[Name]>
  ) => Promise<Awaited<ReturnType<O[Name]>>>;
};

/** What is left of an error on its way: its class would be lost, and with it what it means. */
export interface CallFailure {
  readonly kind: string;
  readonly message: string;
}

interface Call {
  readonly call: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

interface Outcome {
  readonly call: number;
  readonly result?: unknown;
  readonly failure?: CallFailure;
}

/** Answers the calls that come over `port`. */
export function offer(port: MessagePort, offers: Offers): void {
  port.on('message', ({ call, name, args }: Call) => {
    attempt(() => offers[name]!(...(args as never[]))).then(
      (result) => port.postMessage({ call, result } satisfies Outcome),
      (error: unknown) => port.postMessage({ call, failure: failureOf(error) } satisfies Outcome),
    );
  });
}

const failureOf = (error: unknown): CallFailure =>
  error instanceof Error
    ? { kind: error.constructor.name, message: error.message }
    : { kind: 'Error', message: String(error) };

const attempt = async (run: () => unknown): Promise<unknown> => run();

/**
 * Calls over `port` what the thread at its other end offers. `toError` makes an error of what is
 * left of one.
 */
export function asking<O extends Offers>(
  port: MessagePort,
  toError: (failure: CallFailure) => Error = ({ message }) => new Error(message),
): Asked<O> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  port.on('message', ({ call, result, failure }: Outcome) => {
    const settled = waiting.get(call);
    waiting.delete(call);
    if (failure === undefined) settled?.resolve(result);
    else settled?.reject(toError(failure));
  });
  const ask = (name: string, args: readonly unknown[]): Promise<unknown> => {
    const settled = Promise.withResolvers<unknown>();
    waiting.set(++calls, settled);
    port.postMessage({ call: calls, name, args } satisfies Call);
    return settled.promise;
  };
  return new Proxy({} as Asked<O>, {
    get:
      (_, name: string) =>
      (...args: unknown[]) =>
        ask(name, args),
  });
}
