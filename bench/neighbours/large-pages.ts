import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { editDatabase } from '../dataset.ts';

/** What readers have received until they were stopped. */
export interface ReadPages {
  readonly pages: number;
  readonly bytes: number;
  /** Responses other than 200. */
  readonly refused: number;
}

/** The longest metadata that a key may have is 16 KB. */
const METADATA = JSON.stringify({ text: 'x'.repeat(16_000) });

/** A page of 1,000 of the largest records that are found in practice. */
export const LARGE_PAGE = '/api-keys?limit=1000';

/** Gives the newest keys of a stopped server metadata of 16 KB each. */
export function enlargeKeys(folder: string, count: number): void {
  editDatabase(folder, (database) =>
    database
      .prepare(`UPDATE api_keys SET custom_meta_data = ?
        WHERE id IN (SELECT id FROM api_keys ORDER BY id DESC LIMIT ?)`)
      .run(METADATA, count),
  );
}

/** Starts readers that each request one page after the other, in a thread of their own. */
export function startLargePages(options: {
  readonly port: number;
  readonly accessKey: string;
  readonly path?: string;
  readonly readers?: number;
}): { stop(): Promise<ReadPages> } {
  const thread = new Worker(new URL('page-reader.ts', import.meta.url), {
    workerData: { path: LARGE_PAGE, readers: 12, ...options },
  });
  const result = once(thread, 'message') as Promise<[ReadPages]>;
  return {
    async stop() {
      thread.postMessage('stop');
      return (await result)[0];
    },
  };
}
