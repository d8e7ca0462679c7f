import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import { type Asked, asking, offer } from '../../cluster/threads/thread-calls.ts';
import { createInnerServer } from '../../http/threads/inner-server.ts';
import type { Application } from '../build.ts';
import type { EdgeFigures } from './edge-figures.ts';
import type { EdgeOptions, OfEdge } from './edge-terms.ts';

const BODY = new URL('edge-thread.ts', import.meta.url);

export interface EdgeThreadsParts {
  /** One for each thread. */
  readonly figures: readonly EdgeFigures[];
  readonly settings: Pick<
    EdgeOptions,
    'rootSecret' | 'host' | 'logLevel' | 'cacheBytes' | 'windows'
  >;
  /** Answers whatever an edge does not. */
  readonly app: Pick<Application, 'server' | 'teller' | 'forEdges'>;
  /** A thread that ends by itself has lost what its callers were told to be there. */
  readonly onEnded: (error: unknown) => void;
}

/** The threads beside this one that answer on the same port. */
export class EdgeThreads {
  readonly #parts: EdgeThreadsParts;
  readonly #inner: Server;
  #folder: string | null = null;
  readonly #workers: Worker[] = [];
  readonly #edges: Asked<OfEdge>[] = [];
  #isStopping = false;

  constructor(parts: EdgeThreadsParts) {
    this.#parts = parts;
    const { server } = parts.app.server;
    this.#inner = createInnerServer((request, response) =>
      server.emit('request', request, response),
    );
  }

  /** Ends when all of them listen, and answers where: for 0 each on a port of its own. */
  async start(port: number): Promise<readonly number[]> {
    if (this.#parts.figures.length === 0) return [];
    // Only this user may enter it: see createInnerServer.
    this.#folder = mkdtempSync(join(tmpdir(), 'keyward-'));
    const socketPath = join(this.#folder, 'main.sock');
    await new Promise<void>((resolve, reject) => {
      this.#inner.once('error', reject).listen(socketPath, resolve);
    });
    for (const figures of this.#parts.figures) this.#startOne(figures, socketPath);
    return Promise.all(this.#edges.map((edge) => edge.listen(port)));
  }

  /** Ends when they have answered and written everything. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#edges.map((edge) => edge.stop()));
    this.#parts.app.teller.stop();
    if (this.#folder === null) return;
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
    this.#inner.closeAllConnections();
    await new Promise((resolve) => this.#inner.close(resolve));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #startOne(figures: EdgeFigures, socketPath: string): void {
    const { settings, app, onEnded } = this.#parts;
    const toMain = new MessageChannel();
    const toEdge = new MessageChannel();
    const changes = app.teller.open();
    offer(toMain.port1, app.forEdges);
    const workerData: EdgeOptions = {
      ...settings,
      socketPath,
      changes,
      figures: figures.memory,
      main: toMain.port2,
      own: toEdge.port2,
    };
    const worker = new Worker(BODY, {
      workerData,
      transferList: [changes.mailbox, toMain.port2, toEdge.port2],
      name: 'edge',
      execArgv: [],
    });
    worker.on('error', onEnded);
    worker.on('exit', () => {
      if (!this.#isStopping) onEnded(new Error('A thread that answers requests has ended.'));
    });
    this.#workers.push(worker);
    this.#edges.push(asking<OfEdge>(toEdge.port1));
  }
}
