import { expect, it } from 'vitest';
import { nextCursorOf } from '../src/http/list.ts';

const cursorIn = (link?: string) => nextCursorOf(new Headers(link === undefined ? {} : { link }));

it('takes only the cursor from the link to the next page', () => {
  expect(cursorIn('</api-keys?limit=2&cursor=abc>; rel="next"')).toBe('abc');
  expect(cursorIn('<https://elsewhere.example/x?cursor=a%2Fb>; rel=next')).toBe('a/b');
  expect(cursorIn('</api-keys?cursor=abc>; rel="prev"')).toBeNull();
  expect(cursorIn()).toBeNull();
});
