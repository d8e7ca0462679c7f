import { hash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sha256By } from '../../src/local/sha256.ts';
import { inScript } from '../../src/local/sha256-in-script.ts';
import { inWebAssembly } from '../../src/local/sha256-in-web-assembly.ts';

const compiled = inWebAssembly();
if (compiled === null) throw new Error('Node compiles WebAssembly.');

describe.each([
  ['in script', inScript],
  ['in WebAssembly', compiled],
])('%s', (_, compression) => {
  const sha256 = sha256By(compression);
  const inHex = (text: string): string =>
    Array.from(sha256(text), (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');

  it('is SHA-256 of the UTF-8 form, at every length around the ends of blocks', () => {
    for (let length = 0; length <= 200; length++) {
      for (const letter of ['k', 'é', '鍵', '🔑']) {
        const text = letter.repeat(length);
        expect(inHex(text), `${length} ${letter}`).toBe(hash('sha256', text, 'hex'));
      }
    }
  });

  it('is SHA-256 of any text, also right after another', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: 'binary-ascii', maxLength: 60 }),
    );
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
        expect(texts.map(inHex)).toEqual(texts.map((each) => hash('sha256', each, 'hex')));
      }),
    );
  });
});

describe('where nothing may be compiled', () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    ['is no WebAssembly', undefined],
    [
      'is one that refuses',
      {
        Module: class {
          constructor() {
            throw new EvalError('Wasm code generation disallowed by embedder');
          }
        },
      },
    ],
  ])('says so: there %s', (_, global) => {
    vi.stubGlobal('WebAssembly', global);
    expect(inWebAssembly()).toBeNull();
  });
});
