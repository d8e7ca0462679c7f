import { parentPort } from 'node:worker_threads';

/** A storage thread that reports that it is open and exits at the first request. */
parentPort?.postMessage([{}]);
parentPort?.on('message', () => process.exit(1));
