const BLOCK_BYTES = 64;
const END_MARK = 0x80;

const PRIMES = firstPrimes(64);
/** The first 32 bits of the fractional part. */
const fraction = (root: number): number => ((root % 1) * 2 ** 32) | 0;
/** Fractions of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
const ROUNDS = Int32Array.from(PRIMES, (prime) => fraction(prime ** (1 / 3)));
/** Fractions of the square roots of the first eight primes (5.3.3). */
const START = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

const encoder = new TextEncoder();
const schedule = new Int32Array(ROUNDS.length);

/** SHA-256 of a string as 32 characters, one per byte. For runtimes without `node:crypto`. */
export function sha256InJavaScript(text: string): string {
  const words = padded(encoder.encode(text));
  const state = Int32Array.from(START);
  for (let start = 0; start < words.byteLength; start += BLOCK_BYTES) compress(state, words, start);
  let bytes = '';
  for (const word of state) {
    bytes += String.fromCharCode(word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255);
  }
  return bytes;
}

function padded(bytes: Uint8Array): DataView {
  const blocks = Math.ceil((bytes.length + 9) / BLOCK_BYTES);
  const message = new Uint8Array(blocks * BLOCK_BYTES);
  message.set(bytes);
  message[bytes.length] = END_MARK;
  const words = new DataView(message.buffer);
  words.setUint32(message.length - 4, bytes.length * 8);
  return words;
}

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** Adds one block to the state (6.2.2). */
function compress(state: Int32Array, words: DataView, start: number): void {
  for (let t = 0; t < 16; t++) schedule[t] = words.getInt32(start + 4 * t);
  for (let t = 16; t < 64; t++) {
    const far = schedule[t - 15]!;
    const near = schedule[t - 2]!;
    const sigma0 = rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3);
    const sigma1 = rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10);
    schedule[t] = schedule[t - 16]! + sigma0 + schedule[t - 7]! + sigma1;
  }
  let [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!];
  let [e, f, g, h] = [state[4]!, state[5]!, state[6]!, state[7]!];
  for (let t = 0; t < 64; t++) {
    const sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const first = (h + sum1 + (g ^ (e & (f ^ g))) + ROUNDS[t]! + schedule[t]!) | 0;
    const sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const second = sum0 + ((a & b) ^ (c & (a ^ b)));
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  return primes;
}
