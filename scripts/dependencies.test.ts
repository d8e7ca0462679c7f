import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PACKAGE_FOLDERS } from './extra-packages.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

it('docs/dependencies.md gives a reason for every package, and lists no other', () => {
  const folders = ['.', 'rules', 'server', 'sdk', 'dashboard', ...Object.values(PACKAGE_FOLDERS)];
  const used = folders.flatMap((folder) => {
    const { dependencies, devDependencies } = JSON.parse(read(`${folder}/package.json`));
    return Object.keys({ ...dependencies, ...devDependencies });
  });
  const rows = read('docs/dependencies.md').matchAll(/^\| (`[^|]+) \| [^|]+ \|$/gm);
  const listed = [...rows].flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(listed.toSorted()).toEqual([...new Set(used)].toSorted());
});

/** The packages that npm would install on a platform, from a lockfile. */
interface Locked {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}
const lockedIn = (folder: string): [string, Locked][] =>
  Object.entries<Locked>(JSON.parse(read(`${folder}/package-lock.json`)).packages);

const REGISTRY = 'https://registry.npmjs.org/';

describe.each(['.', ...Object.values(PACKAGE_FOLDERS)])('the lockfile of %s', (folder) => {
  const packages = lockedIn(folder).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  );

  it('has a hash for every package, and names no other registry', () => {
    const wrong = packages.filter(
      ([, { integrity, resolved }]) => !integrity || !(resolved ?? REGISTRY).startsWith(REGISTRY),
    );
    expect(wrong).toEqual([]);
  });

  it('has what is built for one platform for the others too', () => {
    const builtFor = (os: string, cpu: string) =>
      packages.filter(([, locked]) => locked.os?.includes(os) && locked.cpu?.includes(cpu)).length;
    const linux = builtFor('linux', 'x64');
    for (const [os, cpu] of [
      ['linux', 'arm64'],
      ['darwin', 'arm64'],
    ] as const)
      expect(builtFor(os, cpu) > 0, `${os} ${cpu}`).toBe(linux > 0);
  });

  it('is written with the date of the root', () => {
    const before = /^before=.*$/m.exec(read('.npmrc'))?.[0];
    expect(read(`${folder}/.npmrc`).split('\n')).toContain(before);
  });
});

/** 920 packages took 87 s on two cores. A package that only one command needs has its folder. */
it('the root install stays light', () => {
  const isOnLinux = ({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: Locked) =>
    os.includes('linux') && cpu.includes('x64') && libc.includes('glibc');
  const packages = lockedIn('.').filter(([path, locked]) => path !== '' && isOnLinux(locked));
  expect(packages.length).toBeLessThanOrEqual(700);
});
