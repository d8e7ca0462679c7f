import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loginSearch } from './page-searches.ts';

it.each(['/', '/p/prj_1/keys?name=a', '/settings'])('opens %s after signing in', (next) => {
  expect(loginSearch({ next }).next).toBe(next);
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
])('does not open %j after signing in', (next) => {
  expect(loginSearch({ next }).next).toBeUndefined();
});

it('never opens another host', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const { next } = loginSearch({ next: `/${text}` });
      fc.pre(next !== undefined);
      expect(new URL(next!, 'https://keys.example').host).toBe('keys.example');
    }),
  );
});
