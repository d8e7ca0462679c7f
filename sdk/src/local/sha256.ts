/** Fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
const ROUNDS = Int32Array.of(
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2,
);
/** What fits into one block with its end mark and its length. Our own values have 54 characters. */
const ONE_BLOCK_MAX = 55;

const schedule = new Int32Array(64);
const state = new Int32Array(8);
const encoder = new TextEncoder();

/**
 * SHA-256 of a text, as eight words that stand until the next call. Our own, because Web Crypto
 * only answers later and Node's, which not every runtime has, answers with a text that must be
 * hashed again to be looked up: 1.4 µs for both, against 0.8 here.
 */
export function sha256(text: string): Int32Array {
  begin();
  if (text.length <= ONE_BLOCK_MAX && fillFromAscii(text)) compress();
  else compressBytes(encoder.encode(text));
  return state;
}

function begin(): void {
  state[0] = 0x6a09e667;
  state[1] = 0xbb67ae85;
  state[2] = 0x3c6ef372;
  state[3] = 0xa54ff53a;
  state[4] = 0x510e527f;
  state[5] = 0x9b05688c;
  state[6] = 0x1f83d9ab;
  state[7] = 0x5be0cd19;
}

/** The only block of a short text. False where a character takes more than a byte. */
function fillFromAscii(text: string): boolean {
  const { length } = text;
  const whole = length & ~3;
  let seen = 0;
  let place = 0;
  for (let n = 0; n < whole; n += 4) {
    const first = text.charCodeAt(n);
    const second = text.charCodeAt(n + 1);
    const third = text.charCodeAt(n + 2);
    const fourth = text.charCodeAt(n + 3);
    seen |= first | second | third | fourth;
    schedule[place++] = (first << 24) | (second << 16) | (third << 8) | fourth;
  }
  let last = 0x80 << (24 - 8 * (length - whole));
  for (let n = whole; n < length; n++) {
    const code = text.charCodeAt(n);
    seen |= code;
    last |= code << (24 - 8 * (n - whole));
  }
  if (seen > 0x7f) return false;
  schedule[place++] = last;
  while (place < 15) schedule[place++] = 0;
  schedule[15] = length * 8;
  return true;
}

function compressBytes(bytes: Uint8Array): void {
  const padded = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
  new Uint8Array(padded.buffer).set(bytes);
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(padded.byteLength - 4, bytes.length * 8);
  for (let start = 0; start < padded.byteLength; start += 64) {
    for (let n = 0; n < 16; n++) schedule[n] = padded.getInt32(start + 4 * n);
    compress();
  }
}

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** One block, from the first sixteen words of the schedule. */
function compress(): void {
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
