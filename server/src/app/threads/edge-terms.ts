import type { MessagePort } from 'node:worker_threads';
import type { Counters } from '../../cluster/counters.ts';
import type { ThreadChanges } from '../../cluster/threads/thread-changes.ts';
import type { ReadAccessKey } from '../../features/access-keys/index.ts';
import type { WriteUsage } from '../../features/analytics/index.ts';
import type { ReadKey } from '../../features/validation/index.ts';

/** What the thread that has the database does for the others. */
export type ForEdges = {
  readonly readKey: ReadKey;
  readonly readAccessKey: ReadAccessKey;
  readonly writeUsage: WriteUsage;
  readonly take: Counters['take'];
};

/** What an edge does when it is told to. */
export type OfEdge = {
  /** Ends when it listens, and answers where. */
  readonly listen: (port: number) => Promise<number>;
  /** Ends when everything under way is answered and every use is written. */
  readonly stop: () => Promise<void>;
};

/** All that an edge is made from. */
export interface EdgeOptions {
  readonly rootSecret: string;
  readonly host: string;
  readonly logLevel: string;
  readonly cacheBytes: number;
  /** Where requests go that are no ordinary validations. */
  readonly socketPath: string;
  /** The windows of all threads; null where they are counted for several nodes. */
  readonly windows: SharedArrayBuffer | null;
  readonly changes: ThreadChanges;
  readonly figures: SharedArrayBuffer;
  /** Leads to `ForEdges`. */
  readonly main: MessagePort;
  /** Where `OfEdge` is asked for. */
  readonly own: MessagePort;
}
