import { type ChildProcess, fork } from 'node:child_process';
import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { StorageUnavailable } from '../errors.ts';
import type { ConnectionOptions } from './connection.ts';
import { type QueryRequest, type Reply, refusedParameter, toError } from './messages.ts';

/**
 * The client side of a reader process, which runs one query at a time:
 *
 *   starting → idle ⇄ busy → ended (stopped, closed, or on its own)
 */
export class ReaderProcess {
  readonly #child: ChildProcess;
  #reply: PromiseWithResolvers<Reply> | undefined;
  #ended: StorageUnavailable | undefined;

  private constructor(body: URL, options: ConnectionOptions) {
    const child = fork(body, [JSON.stringify(options)], {
      execArgv: [],
      // Only what Node itself needs: the settings of the server contain secrets. Without /proc, it is found by PATH.
      env: {
        ...pick(process.env, ['NODE_COMPILE_CACHE', 'PATH', 'SystemRoot']),
        ...inExecutable(body),
      },
      serialization: 'advanced',
      // Its standard input ends when this process ends, however that happens.
      stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    child.stdin?.on('error', () => {});
    child.on('message', (reply) => this.#settle(reply as Reply));
    child.on('error', (error) => this.#end(error.message));
    child.on('exit', (code, signal) => this.#end(String(signal ?? code)));
  }

  /** Resolves when the process has opened the database. */
  static async start(body: URL, options: ConnectionOptions): Promise<ReaderProcess> {
    const reader = new ReaderProcess(body, options);
    try {
      await reader.#next();
      return reader;
    } catch (error) {
      reader.#child.kill('SIGKILL');
      throw error;
    }
  }

  get processId(): number | undefined {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    return this.#ended === undefined;
  }

  /** Rejects when the process ends: soon after `stop` is aborted. */
  async query(request: QueryRequest, stop: AbortSignal): Promise<Reply> {
    const refusal = refusedParameter(request);
    if (refusal) throw refusal;
    if (this.#ended) throw this.#ended;
    // SQLite cannot be interrupted from Node, and a worker thread in a native call cannot be terminated.
    const kill = () => this.#child.kill('SIGKILL');
    stop.addEventListener('abort', kill);
    try {
      this.#child.send(request);
      return await this.#next();
    } finally {
      stop.removeEventListener('abort', kill);
    }
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    const closed = new Promise((resolve) => this.#child.once('exit', resolve));
    // It only reads, so nothing can be lost.
    this.#child.kill('SIGKILL');
    await closed;
  }

  #next(): Promise<Reply> {
    this.#reply = Promise.withResolvers<Reply>();
    return this.#reply.promise;
  }

  #settle(reply: Reply): void {
    if (reply.failure) this.#reply?.reject(toError(reply.failure));
    else this.#reply?.resolve(reply);
  }

  #end(reason: string): void {
    this.#ended ??= new StorageUnavailable(`A reader process has ended (${reason}).`);
    this.#reply?.reject(this.#ended);
  }
}

/** The single executable runs one entry, unless it is told where the files are that this process runs. */
const inExecutable = (body: URL): NodeJS.ProcessEnv =>
  isSea() ? { KEYWARD_READER_FILES: fileURLToPath(new URL('../../../', body)) } : {};

const pick = (env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv =>
  Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
