import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { encodeCommand, RespReader, type RespReply } from './resp.ts';

/** Commands that wait for an answer; more are refused at once. */
const WAITING_MAX = 10_000;
const KEEP_ALIVE_MS = 5_000;
/** Of those who were answered: moving the others up for each would cost more than the answer. */
const FORGOTTEN_AT_ONCE = 256;

interface Waiting {
  resolve(reply: RespReply): void;
  reject(error: Error): void;
}

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
  /** What is said first: who we are, and which database is meant. */
  readonly greeting: readonly (readonly string[])[];
}

/** `redis://user:password@host:6379/0`, or `rediss://` with TLS. An error does not tell the password. */
export function redisAddress(url: string): RedisAddress {
  try {
    const { protocol, hostname, port, username, password, pathname } = new URL(url);
    const names = username === '' ? [] : [decodeURIComponent(username)];
    const isKnown = username !== '' || password !== '';
    return {
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? 6379 : Number(port),
      isEncrypted: protocol === 'rediss:',
      greeting: [
        ...(isKnown ? [['AUTH', ...names, decodeURIComponent(password)]] : []),
        ['CLIENT', 'SETNAME', 'keyward'],
        ...(pathname.length > 1 ? [['SELECT', pathname.slice(1)]] : []),
      ],
    };
  } catch {
    throw new Error('The address of Redis is not a URL like redis://user:password@host:6379/0.');
  }
}

/**
 * One connection to Redis or Valkey. RESP 2 and no more of it than this needs: understood by every
 * server, and by proxies. Our own, because what is sent must leave at once: Redis counts the first
 * checks of a turn while the rest of it is still being read.
 */
export class RedisConnection {
  readonly #address: RedisAddress;
  readonly #onLost: (error: Error) => void;
  readonly #reader = new RespReader((reply) => this.#answered(reply));
  /** In the order they were sent, from `#first` on. */
  #waiting: Waiting[] = [];
  #first = 0;
  #socket: Socket | null = null;
  #isOver = false;

  constructor(address: RedisAddress, onLost: (error: Error) => void) {
    this.#address = address;
    this.#onLost = onLost;
  }

  async open(): Promise<void> {
    const { host, port, isEncrypted, greeting } = this.#address;
    const options = { host, port, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
    const socket = isEncrypted
      ? connectTls({ ...options, ...(isIP(host) === 0 && { servername: host }) })
      : connect(options);
    this.#socket = socket;
    socket.setNoDelay();
    socket.on('error', (error) => this.#lose(error));
    socket.on('close', () => this.#lose(new Error('Redis closed the connection.')));
    socket.on('data', (piece) => this.#read(piece as Buffer));
    await Promise.all(greeting.map((args) => this.send(args)));
  }

  send(args: readonly string[]): Promise<RespReply> {
    return new Promise((resolve, reject) => {
      const socket = this.#socket;
      if (socket === null || this.#isOver) reject(new Error('Redis is not connected.'));
      else if (this.#waiting.length - this.#first >= WAITING_MAX)
        reject(new Error('Too many commands wait for Redis.'));
      else {
        this.#waiting.push({ resolve, reject });
        this.#cork(socket);
        const text = encodeCommand(args);
        socket.write(text, Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8');
      }
    });
  }

  destroy(): void {
    this.#lose(new Error('The connection to Redis was given up.'), false);
  }

  /** What is sent in one go leaves in one piece, and before anything else is done. */
  #cork(socket: Socket): void {
    if (socket.writableCorked > 0) return;
    socket.cork();
    process.nextTick(() => socket.uncork());
  }

  #read(piece: Buffer): void {
    try {
      this.#reader.read(piece);
    } catch (error) {
      this.#lose(error as Error);
    }
  }

  #answered(reply: RespReply): void {
    const waiting = this.#waiting[this.#first];
    if (waiting === undefined) throw new Error('Redis answers what nobody asked.');
    this.#first++;
    if (this.#first === this.#waiting.length || this.#first === FORGOTTEN_AT_ONCE) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    if (reply instanceof Error) waiting.reject(reply);
    else waiting.resolve(reply);
  }

  /** Whoever waits hears of it at once: nothing is sent again. */
  #lose(error: Error, isTold = true): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket?.destroy();
    const waiting = this.#waiting.slice(this.#first);
    this.#waiting = [];
    this.#first = 0;
    for (const { reject } of waiting) reject(error);
    if (isTold) this.#onLost(error);
  }
}
