import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveSecrets, sameText } from './crypto.ts';

const secrets = deriveSecrets('the root secret of this test, long enough');
const others = deriveSecrets('another root secret, just as long as it');

describe('encrypted text', () => {
  it('can be decrypted in its context, and differs every time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, context) => {
        const encrypted = secrets.encrypt(plain, context);
        expect(secrets.decrypt(encrypted, context)).toBe(plain);
        expect(secrets.encrypt(plain, context)).not.toBe(encrypted);
      }),
    );
  });

  it('cannot be decrypted in another context or with another root secret', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (plain, context, other) => {
        fc.pre(context !== other);
        const encrypted = secrets.encrypt(plain, context);
        expect(() => secrets.decrypt(encrypted, other)).toThrow();
        expect(() => others.decrypt(encrypted, context)).toThrow();
      }),
    );
  });

  it('cannot be decrypted if a bit was changed or a part is missing', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.integer({ min: 0, max: 7 }), (plain, place, bit) => {
        const encrypted = secrets.encrypt(plain, 'context');
        const bytes = Buffer.from(encrypted.slice(3), 'base64url');
        const at = place % bytes.length;
        const cut = `v1.${bytes.subarray(0, at).toString('base64url')}`;
        expect(() => secrets.decrypt(cut, 'context')).toThrow();
        bytes[at]! ^= 1 << bit;
        const changed = `v1.${bytes.toString('base64url')}`;
        expect(() => secrets.decrypt(changed, 'context')).toThrow();
      }),
    );
    expect(() => secrets.decrypt('v2.AAAA', 'context')).toThrow();
    expect(() => secrets.decrypt('', 'context')).toThrow();
  });
});

describe('stored hashes', () => {
  it('are the same for a value and for its SHA-256, and depend on the root secret', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (value) => {
        const digest = createHash('sha256').update(value).digest();
        expect(secrets.hashValue(value)).toBe(secrets.hashDigest(digest));
        expect(others.hashValue(value)).not.toBe(secrets.hashValue(value));
        expect(secrets.hashValue(value)).not.toBe(digest.toString('base64url'));
      }),
    );
  });

  it('never change, because databases contain them', () => {
    expect(secrets.hashValue('kw_value')).toBe('TTs6QrRJROW-L9L_huiPbiiMMVgt7MRZ--JrNehbCF0');
    expect(secrets.hashValue('é€')).toBe('5gxopE6U0jcwaEutGf7hU3GVPON3ZtKnPpLAzQMv6E4');
    expect(secrets.hashAuditLink('["", 1, "é"]')).toBe(
      '-dnhYKf6Zyf1WKe04O9GUuT0GqLSFTOYhuIWM1AS1Xk',
    );
  });

  it('use different derived keys', () => {
    expect(
      new Set([secrets.checkValue, secrets.hashValue(''), secrets.signOperator('')]).size,
    ).toBe(3);
    expect(secrets.checkValue).not.toBe(others.checkValue);
  });
});

it('sameText compares texts', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 4 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(sameText(a, b)).toBe(a === b);
      expect(sameText(a, `${a}`)).toBe(true);
    }),
  );
});
