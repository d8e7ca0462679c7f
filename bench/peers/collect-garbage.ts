/** Loaded into the server with `--import` and `--expose-gc`: SIGUSR2 collects garbage. */
process.on('SIGUSR2', () => globalThis.gc?.());
