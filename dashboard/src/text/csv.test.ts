import { expect, it } from 'vitest';
import { csvLine } from './csv.ts';

it('keeps a cell one cell, and runs no formula', () => {
  expect(csvLine(['a', 1, null, 'x,"y"\n'])).toBe('a,1,,"x,""y""\n"');
  expect(csvLine(['=1+1', '@cmd', '-2', '+3'])).toBe("'=1+1,'@cmd,'-2,'+3");
  expect(csvLine([-2])).toBe('-2');
});
