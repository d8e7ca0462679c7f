import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runToEnd } from '../../harness/child.ts';
import { addExamples, createPackedProject, type PackedProject, TSC } from './packed-project.ts';

const BYTES_MAX = 25 * 1024;

let project: PackedProject;

beforeAll(async () => {
  project = await createPackedProject();
  // With React, from this repository.
  await addExamples(project);
});
afterAll(() => project?.remove());

/** What a bundler makes of a program that uses the package, without React. */
async function bundled(program: string): Promise<string> {
  const input = join(project.folder, 'bundled.js');
  await writeFile(input, program);
  const bundle = await rolldown({ input, external: /^react(\/|$)/, logLevel: 'silent' });
  const { output } = await bundle.generate({ minify: true });
  return output.map((file) => ('code' in file ? file.code : '')).join('');
}

it('is at most 25 KB with its styles, compressed, without React', async () => {
  const script = await bundled("export * from 'keyward/react';");
  const styles = await readFile(join(project.folder, 'node_modules/keyward/dist/react.css'));
  const bytes = gzipSync(script).length + gzipSync(styles).length;
  expect(bytes).toBeLessThanOrEqual(BYTES_MAX);
  expect(script).toContain('kw-chart');
});

it('leaves out the parts that a program does not use', async () => {
  expect(await bundled("import 'keyward/react'; console.log(1);")).not.toContain('/portal');
  const hooks = await bundled("export { useApiKeys } from 'keyward/react';");
  expect(hooks).toContain('rotate');
  expect(hooks).not.toContain('kw-');
});

it('styles nothing outside of the component, and loads nothing', async () => {
  const file = join(project.folder, 'node_modules/keyward/dist/react.css');
  const css = (await readFile(file, 'utf8')).replaceAll(/\/\*.*?\*\//gs, '');
  const selectors = [...css.matchAll(/([^{};]+)\{/g)].map(([, selector]) => selector!.trim());
  expect(selectors.length).toBeGreaterThan(50);
  const outside = selectors
    .filter((selector) => !selector.startsWith('@container'))
    .flatMap((list) => list.split(/,(?![^(]*\))/))
    .filter((selector) => !selector.trim().startsWith('.keyward'));
  expect(outside).toEqual([]);
  expect(css).not.toMatch(/url\(|@import|@font-face|@layer/);
});

it('needs only React', async () => {
  const files = project.files.filter((path) => /^dist\/react\/.*\.js$/.test(path));
  expect(files).toContain('dist/react/portal.js');
  const imported = new Set<string>();
  for (const path of files) {
    const text = await readFile(join(project.folder, 'node_modules/keyward', path), 'utf8');
    for (const [, name] of text.matchAll(/^[^*]* from ["']([^"'.][^"']*)["'];$/gm))
      imported.add(name!);
  }
  expect([...imported].toSorted()).toEqual(['react', 'react/jsx-runtime']);
});

const RENDERED = `
const { createElement } = await import('react');
const { renderToString } = await import('react-dom/server');
const { KeywardPortal } = await LOAD;
globalThis.fetch = () => { throw new Error('no request while rendering'); };
const props = { url: 'http://127.0.0.1:9', token: 'portal_x' };
console.log(renderToString(createElement(KeywardPortal, props)));
console.log(renderToString(createElement(KeywardPortal, { ...props, locale: 'de' })));
`;

it.each([
  ['import', 'rendered.mjs', "import('keyward/react')"],
  ['require', 'required.mjs', "createRequire(import.meta.url)('keyward/react')"],
])('renders on a server without a request, by %s', async (how, name, load) => {
  const head = how === 'require' ? "import { createRequire } from 'node:module';" : '';
  await writeFile(join(project.folder, name), head + RENDERED.replace('LOAD', load));
  const html = await runToEnd(process.execPath, [name], project.folder);
  expect(html).toBe(
    '<div class="keyward" lang="en"><p class="kw-muted">Loading…</p></div>\n' +
      '<div class="keyward" lang="de"><p class="kw-muted">Wird geladen …</p></div>\n',
  );
});

const TYPED = `
import { ApiKeys, KeywardPortal, useApiKeys, usePortalSession } from 'keyward/react';
import 'keyward/react.css';
function Count() {
  const keys = useApiKeys();
  return <p>{usePortalSession().data?.customAccountId} {keys.data?.length}</p>;
}
export const page = (
  <KeywardPortal url="https://keys.example.com" token="portal_x" locale="de" onExpired={() => {}}>
    <ApiKeys />
    <Count />
  </KeywardPortal>
);
// @ts-expect-error
export const withoutToken = <KeywardPortal url="https://keys.example.com" />;
// @ts-expect-error
export const unknownLocale = <KeywardPortal url="u" token="t" locale="fr" />;
`;

it.each(['nodenext', 'bundler'])('has types that compile under strict, %s', async (resolution) => {
  const file = join(project.folder, `typed-${resolution}.tsx`);
  await writeFile(file, TYPED);
  const config = {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      jsx: 'react-jsx',
      noUncheckedSideEffectImports: true,
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
      module: resolution === 'bundler' ? 'esnext' : 'nodenext',
      moduleResolution: resolution,
    },
    files: [file],
  };
  const configFile = join(project.folder, `tsconfig.react-${resolution}.json`);
  await writeFile(configFile, JSON.stringify(config));
  await runToEnd(process.execPath, [TSC, '-p', configFile], project.folder);
});
