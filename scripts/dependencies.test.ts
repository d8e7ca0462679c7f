import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

it('docs/dependencies.md gives a reason for every package, and lists no other', () => {
  const used = ['.', 'rules', 'server', 'sdk', 'dashboard'].flatMap((workspace) => {
    const { dependencies, devDependencies } = JSON.parse(read(`${workspace}/package.json`));
    return Object.keys({ ...dependencies, ...devDependencies });
  });
  const rows = read('docs/dependencies.md').matchAll(/^\| (`[^|]+) \| [^|]+ \|$/gm);
  const listed = [...rows].flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(listed.toSorted()).toEqual([...new Set(used)].toSorted());
});
