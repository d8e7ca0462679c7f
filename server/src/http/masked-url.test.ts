import fc from 'fast-check';
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { createIds } from '../kernel/ids.ts';
import { generateValue } from '../kernel/secrets/key-values.ts';
import { createUrlMask } from './masked-url.ts';

const query = Type.Object({ limit: Type.Integer(), isActive: Type.Boolean(), name: Type.String() });
const maskUrl = createUrlMask([
  { path: '/api-keys', query },
  { path: '/api-keys/auth/:key' },
  { path: '/api-keys/:key/rotate' },
]);

/** Any possible key value. Imported values have at least eight of these characters. */
const value = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9._~-]{8,64}$/),
  fc.stringMatching(/^[0-9]{8,20}$/),
  fc.stringMatching(/^[A-Za-z]{8,40}$/),
  fc.constantFrom('live_', 'account_access_' as const).map((prefix) => generateValue(prefix)),
);
const KNOWN = new Set(['api-keys', 'dashboard', 'isActive']);
const secret = value.filter((text) => !KNOWN.has(text));

describe('a URL in the log', () => {
  it('contains no key value, wherever it was in the URL', () => {
    fc.assert(
      fc.property(secret, (text) => {
        for (const url of [
          `/api-keys/auth/${text}`,
          `/api-keys/${text}/rotate`,
          `/api-keys/auth/${text}?a=1`,
          `/${text}`,
          `/api-keys?key=${text}`,
          `/api-keys?limit=${text}`,
          `/api-keys?${text}`,
          `/api-keys?${text}=1`,
          `/api-keys?a=1&key=${text}&b=2`,
          `/api-keys?key=a=${text}`,
          `/api-keys?a?key=${text}`,
          `/api-keys/auth/x;${text}`,
          `/api-keys/auth/x#${text}`,
          `http://host/api-keys/auth/${text}`,
          `http://${text}/api-keys`,
          text,
        ])
          expect(maskUrl(url)).not.toContain(text);
      }),
      { numRuns: 500 },
    );
  });

  it('contains only known words, ids, short numbers and flags', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.string(), (url, noise) => {
        const { pathname, search } = new URL(url);
        for (const text of [pathname + search, `/${noise}`, `/api-keys?${noise}`])
          for (const part of maskUrl(text).split(/[/?&=]/))
            expect(part).toMatch(
              /^(|\*\*\*|api-keys|auth|rotate|dashboard|docs|\d{1,7}|true|false|null|limit|isActive|name|key)$/,
            );
      }),
    );
  });

  it('still shows which resource was requested', () => {
    const id = createIds()('key');
    expect(maskUrl(`/api-keys/${id}/rotate`)).toBe(`/api-keys/${id}/rotate`);
    expect(maskUrl('/api-keys?limit=1000&isActive=true')).toBe(
      '/api-keys?limit=1000&isActive=true',
    );
    expect(maskUrl('/api-keys?name=Jane')).toBe('/api-keys?name=***');
    expect(maskUrl('/api-keys/')).toBe('/api-keys/');
  });
});
