import { workerData } from 'node:worker_threads';
import { offer } from '../../cluster/threads/thread-calls.ts';
import { buildEdge } from './build-edge.ts';
import type { EdgeOptions } from './edge-terms.ts';

const options = workerData as EdgeOptions;
offer(options.own, buildEdge(options));
