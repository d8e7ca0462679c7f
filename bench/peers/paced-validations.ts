import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { ACCESS_KEY } from '../keyward-server.ts';
import { LatencyHistogram } from '../latency-histogram.ts';
import type { Paced } from '../paced-load.ts';

/**
 * Sends validations at an even pace, whether or not the ones before were answered: a server that
 * pauses is seen by everything that was due meanwhile, which a generator that waits for answers
 * does not see. As clients do, each connection has one request under way; what is due while all
 * are taken goes out as soon as one is free, and counts from when it was due. Written by hand on
 * sockets, since a client that costs more than what it measures measures itself. Arguments: the
 * port, the file of keys, how many a second. Says {} when it is connected; each line is a number
 * of seconds, answered with what came back.
 */
const [port, keysFile, rate] = process.argv.slice(2);
const keys = readFileSync(keysFile!, 'utf8').trimEnd().split('\n');
const CONNECTIONS = 64;
const TICK_MS = 1;
const DRAIN_MS = 30_000;
const REST = ` HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: ${ACCESS_KEY}\r\n\r\n`;

let next = 0;
let answered = 0;
let failures = 0;
let statuses: Record<string, number> = {};
const latencies = new LatencyHistogram();

/** When requests were due that no connection was free for; the first `taken` are under way. */
let due: number[] = [];
let taken = 0;
const free: Line[] = [];
const underWay = new Set<Line>();

/** All connections by turns: none is idle for so long that the server closes it. */
function sendWhatIsDue(): void {
  while (taken < due.length && free.length > 0) free.shift()!.send(due[taken++]!);
  if (taken < due.length) return;
  due = [];
  taken = 0;
}

/** One request at a time; its answer ends with a body as long as it says. */
class Line {
  readonly #socket: Socket;
  #dueAt = 0;
  #received: Buffer = Buffer.alloc(0);

  readonly ready: Promise<unknown>;

  constructor() {
    this.#socket = connect(Number(port), '127.0.0.1').setNoDelay(true);
    this.ready = once(this.#socket, 'connect').then(() => free.push(this));
    this.#socket.on('data', (bytes: Buffer) => this.#take(bytes));
    this.#socket.on('error', () => failures++);
    this.#socket.on('close', () => this.#close());
  }

  send(dueAt: number): void {
    this.#dueAt = dueAt;
    underWay.add(this);
    this.#socket.write(`POST /api-keys/auth/${keys[next++ % keys.length]}${REST}`, 'latin1');
  }

  #take(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    if (!this.#isWhole()) return;
    const status = this.#received.toString('latin1', 9, 12);
    this.#received = this.#received.subarray(this.#received.length);
    statuses[status] = (statuses[status] ?? 0) + 1;
    latencies.add(performance.now() - this.#dueAt);
    answered++;
    underWay.delete(this);
    free.push(this);
    sendWhatIsDue();
  }

  #isWhole(): boolean {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return false;
    const head = this.#received.toString('latin1', 0, headEnd);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    return headEnd + 4 + length <= this.#received.length;
  }

  #close(): void {
    if (underWay.delete(this)) failures++;
    const place = free.indexOf(this);
    if (place >= 0) free.splice(place, 1);
  }
}

const lines = Array.from({ length: CONNECTIONS }, () => new Line());
await Promise.all(lines.map(({ ready }) => ready));
process.stdout.write('{}\n');

for await (const line of createInterface({ input: process.stdin })) {
  await sendFor(Number(line) * 1000);
  const told: Paced = {
    answered,
    failures,
    statuses,
    p50Ms: latencies.at(0.5),
    p95Ms: latencies.at(0.95),
    p99Ms: latencies.at(0.99),
    p999Ms: latencies.at(0.999),
    maxMs: latencies.maxMs,
  };
  process.stdout.write(`${JSON.stringify(told)}\n`);
  answered = 0;
  failures = 0;
  statuses = {};
  latencies.clear();
}
process.exit(0);

/** As many as are due by the clock, each noted as due when it should have gone. */
async function sendFor(lengthMs: number): Promise<void> {
  const startedAt = performance.now();
  const perMs = Number(rate) / 1000;
  const count = Math.round(lengthMs * perMs);
  await new Promise<void>((resolve) => {
    let sent = 0;
    const ticking = setInterval(() => {
      const end = Math.min(count, Math.floor((performance.now() - startedAt) * perMs));
      for (; sent < end; sent++) due.push(startedAt + sent / perMs);
      sendWhatIsDue();
      if (sent < count) return;
      clearInterval(ticking);
      resolve();
    }, TICK_MS);
  });
  const giveUpAt = performance.now() + DRAIN_MS;
  while (underWay.size + due.length > 0 && performance.now() < giveUpAt)
    await new Promise((resolve) => setTimeout(resolve, 5));
  failures += underWay.size + due.length - taken;
  due = [];
  taken = 0;
}
