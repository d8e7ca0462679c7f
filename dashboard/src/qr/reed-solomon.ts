/** Multiplication in GF(256) over x⁸ + x⁴ + x³ + x² + 1, the field of QR codes. */
export function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> bit) & 1) * a;
  }
  return product;
}

/** The coefficients of (x - 2⁰)(x - 2¹)…, without the leading 1. */
function divisor(degree: number): number[] {
  const result = new Array<number>(degree).fill(0);
  result[degree - 1] = 1;
  let root = 1;
  for (let factor = 0; factor < degree; factor++) {
    for (let i = 0; i < degree; i++)
      result[i] = multiply(result[i]!, root) ^ (i + 1 < degree ? result[i + 1]! : 0);
    root = multiply(root, 2);
  }
  return result;
}

/** What is appended to `data` so that damaged codes can still be read. */
export function correctionOf(data: readonly number[], length: number): number[] {
  const factors = divisor(length);
  const rest = new Array<number>(length).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift()!;
    rest.push(0);
    for (const [i, value] of factors.entries()) rest[i]! ^= multiply(value, factor);
  }
  return rest;
}
