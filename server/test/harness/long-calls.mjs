/** Loaded by programs that call the SDK with its default timeout: 5 s may be too short on a busy machine. */
const timeout = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = (ms) => timeout(Math.max(ms, 240_000));
