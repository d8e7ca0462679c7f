import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { encodeCommand, RespReader, type RespReply } from './resp.ts';

/** Commands without a reply; further ones are rejected at once. */
const PENDING_MAX = 10_000;
const KEEP_ALIVE_MS = 5_000;
/** Completed commands are removed in groups: shifting the array for each costs more than the reply. */
const REMOVED_AT_ONCE = 256;

interface Pending {
  resolve(reply: RespReply): void;
  reject(error: Error): void;
}

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
  /** Commands sent first: credentials, client name and database. */
  readonly setup: readonly (readonly string[])[];
}

/** `redis://user:password@host:6379/0`, or `rediss://` with TLS. Errors do not contain the password. */
export function redisAddress(url: string): RedisAddress {
  try {
    const { protocol, hostname, port, username, password, pathname } = new URL(url);
    const names = username === '' ? [] : [decodeURIComponent(username)];
    const hasCredentials = username !== '' || password !== '';
    return {
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? 6379 : Number(port),
      isEncrypted: protocol === 'rediss:',
      setup: [
        ...(hasCredentials ? [['AUTH', ...names, decodeURIComponent(password)]] : []),
        ['CLIENT', 'SETNAME', 'keyward'],
        ...(pathname.length > 1 ? [['SELECT', pathname.slice(1)]] : []),
      ],
    };
  } catch {
    throw new Error('The address of Redis is not a URL like redis://user:password@host:6379/0.');
  }
}

/**
 * One connection to Redis or Valkey. It speaks RESP 2, which every server and proxy understands.
 * Commands are written at once: Redis processes the first checks of an event-loop turn while the
 * rest of the turn is still being read.
 */
export class RedisConnection {
  readonly #address: RedisAddress;
  readonly #onLost: (error: Error) => void;
  readonly #reader = new RespReader((reply) => this.#onReply(reply));
  /** In the order sent, starting at `#first`. */
  #pending: Pending[] = [];
  #first = 0;
  #socket: Socket | null = null;
  #isClosed = false;

  constructor(address: RedisAddress, onLost: (error: Error) => void) {
    this.#address = address;
    this.#onLost = onLost;
  }

  async open(): Promise<void> {
    const { host, port, isEncrypted, setup } = this.#address;
    const options = { host, port, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
    const socket = isEncrypted
      ? connectTls({ ...options, ...(isIP(host) === 0 && { servername: host }) })
      : connect(options);
    this.#socket = socket;
    socket.setNoDelay();
    socket.on('error', (error) => this.#lose(error));
    socket.on('close', () => this.#lose(new Error('Redis closed the connection.')));
    socket.on('data', (piece) => this.#read(piece as Buffer));
    await Promise.all(setup.map((args) => this.send(args)));
  }

  send(args: readonly string[]): Promise<RespReply> {
    return new Promise((resolve, reject) => {
      const socket = this.#socket;
      if (socket === null || this.#isClosed) reject(new Error('Redis is not connected.'));
      else if (this.#pending.length - this.#first >= PENDING_MAX)
        reject(new Error('Too many commands are waiting for Redis.'));
      else {
        this.#pending.push({ resolve, reject });
        this.#cork(socket);
        const text = encodeCommand(args);
        socket.write(text, Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8');
      }
    });
  }

  destroy(): void {
    this.#lose(new Error('The connection to Redis was closed.'), false);
  }

  /** Commands of one tick are sent in one packet at its end. */
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

  #onReply(reply: RespReply): void {
    const pending = this.#pending[this.#first];
    if (pending === undefined) throw new Error('Redis sent a reply without a command.');
    this.#first++;
    if (this.#first === this.#pending.length || this.#first === REMOVED_AT_ONCE) {
      this.#pending = this.#pending.slice(this.#first);
      this.#first = 0;
    }
    if (reply instanceof Error) pending.reject(reply);
    else pending.resolve(reply);
  }

  /** Rejects all pending commands at once; none is sent again. */
  #lose(error: Error, notify = true): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket?.destroy();
    const pending = this.#pending.slice(this.#first);
    this.#pending = [];
    this.#first = 0;
    for (const { reject } of pending) reject(error);
    if (notify) this.#onLost(error);
  }
}
