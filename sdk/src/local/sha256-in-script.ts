import { BLOCK_BYTES, type Compression, ROUNDS, START } from './sha256-compression.ts';

const block = new Uint8Array(BLOCK_BYTES);
const words = new DataView(block.buffer);
const schedule = new Int32Array(ROUNDS.length);
const state = new Int32Array(START.length);

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function compress(): void {
  for (let t = 0; t < 16; t++) schedule[t] = words.getInt32(4 * t);
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

/** For runtimes that compile nothing while they run, as those at the edge. */
export const inScript: Compression = { block, state, compress };
