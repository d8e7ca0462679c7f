import { parentPort } from 'node:worker_threads';

/** The body of a storage thread that says it is open and dies at the first request. */
parentPort?.postMessage([{}]);
parentPort?.on('message', () => process.exit(1));
