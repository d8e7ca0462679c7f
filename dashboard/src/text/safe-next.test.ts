import fc from 'fast-check';
import { expect, it } from 'vitest';
import { safeNext } from './safe-next.ts';

it.each(['/', '/p/prj_1/keys?name=a', '/settings'])('accepts %s', (next) => {
  expect(safeNext(next)).toBe(next);
});

it.each([
  undefined,
  7,
  '',
  'settings',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  'https://evil.example/',
  'javascript:alert(1)',
])('rejects %j', (next) => {
  expect(safeNext(next)).toBeUndefined();
});

it('never accepts another host', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const next = safeNext(`/${text}`);
      fc.pre(next !== undefined);
      expect(new URL(next!, 'https://keys.example').host).toBe('keys.example');
    }),
  );
});
