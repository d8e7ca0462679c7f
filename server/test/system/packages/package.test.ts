import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findOnPath } from '../../../../scripts/test-tools.ts';
import { runToEnd } from '../../harness/child.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import {
  createPackedProject,
  EXTRA_MODULES,
  type PackedProject,
  ROOT,
  TSC,
  TSC_6,
} from './packed-project.ts';

let app: TestApp;
let project: PackedProject;

beforeAll(async () => {
  app = await startTestApp({ realClock: true });
  project = await createPackedProject();
});
afterAll(async () => {
  await app.close();
  await project?.remove();
});

/** A typical first program: valid as JavaScript and as strict TypeScript. */
const PROGRAM = `
import { Keyward, KeywardError, KeywardUnavailable, verifyWebhook } from 'keyward';
import { LocalKeyward } from 'keyward/local';

const options = OPTIONS_HERE;
const keyward = new Keyward({ ...options, onUnavailable: 'deny' });
const { key, id } = await keyward.apiKeys.create({ name: 'Ada', customMetaData: { plan: 'pro' } });
const result = await keyward.validate(key);
if (!result.valid) throw new Error('refused');
console.log(result.record.name, result.record.customMetaData.plan);
const local = new LocalKeyward({ ...options, onUnavailable: 'deny' });
await local.ready;
let decided = local.validate(key);
while (decided instanceof Promise) {
  await decided;
  decided = local.validate(key);
}
console.log('synchronous:', decided.allowed);
await local.close();
await keyward.apiKeys.revoke(id);
const refused = await keyward.validate(key);
if (refused.valid === false) console.log(refused.code, refused.statusCode);
for await (const item of keyward.apiKeys.list({ limit: 1 })) console.log(item.isActive);
const away = new Keyward({ ...options, url: 'http://127.0.0.1:9', retries: 0 });
await away.validate(key).catch((error) => console.log(error instanceof KeywardUnavailable));
await keyward.projects.get('prj_x').catch((error) => {
  if (error instanceof KeywardError && error.code === 'project_not_found') console.log('no project');
});
await verifyWebhook({ body: '', headers: {}, secret: 'whsec_AAAA' }).catch((error) => console.log(error.code));
`;
const OUTPUT =
  'Ada pro\nsynchronous: true\nkey_revoked 404\nfalse\ntrue\nno project\nheaders_missing\n';

const withOptions = (program: string): string =>
  program.replace('OPTIONS_HERE', JSON.stringify(app.sdkOptions));

async function writeProgram(name: string): Promise<string> {
  const file = join(project.folder, name);
  await writeFile(file, withOptions(PROGRAM));
  return file;
}

it('contains the client and its types, but no sources or tests', () => {
  const folders = new Set(project.files.map((path) => path.split('/')[0]));
  expect([...folders].toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  expect(project.files).toContain('dist/index.d.ts');
  expect(project.files.filter((path) => /(?<!\.d)\.ts$|test/.test(path))).toEqual([]);
});

it('has the license, and a README whose links work outside of the repository', async () => {
  const read = (file: string) =>
    readFile(join(project.folder, 'node_modules/keyward', file), 'utf8');
  expect(await read('LICENSE')).toBe(await readFile(join(ROOT, 'LICENSE'), 'utf8'));
  const links = [...(await read('README.md')).matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1]);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((link) => !link?.startsWith('https://'))).toEqual([]);
});

it('has types for every module resolution, and correct exports', async () => {
  const attw = join(EXTRA_MODULES, '@arethetypeswrong', 'cli', 'dist', 'index.js');
  const checked = [project.tarball, '--profile', 'strict', '--exclude-entrypoints', 'react.css'];
  await runToEnd(process.execPath, [attw, ...checked], ROOT);
  const publint = join(EXTRA_MODULES, 'publint', 'src', 'cli.js');
  await runToEnd(process.execPath, [publint, 'run', project.tarball, '--strict'], ROOT);
});

/** Without top-level await, which CommonJS does not support. */
const SMALL_PROGRAM = `
import { Keyward, KeywardError } from 'keyward';
import { LocalKeyward } from 'keyward/local';
import { protect } from 'keyward/node';

async function main(): Promise<void> {
  const options = OPTIONS_HERE;
  const keyward = new Keyward({ ...options, onUnavailable: 'deny' });
  const { key, id } = await keyward.apiKeys.create({ name: 'Ada' });
  const result = await keyward.validate(key);
  const name: string | undefined = result.valid ? result.record.name : undefined;
  const local = new LocalKeyward(options);
  console.log(name, (await local.validate(key)).allowed, typeof protect(keyward));
  await local.close();
  await keyward.apiKeys.erase(id);
  await keyward.apiKeys.get(id).catch((error: unknown) => {
    console.log(error instanceof KeywardError && error.code);
  });
}
// @ts-expect-error Types that accept everything would compile too.
export const wrong = (keyward: Keyward) => keyward.apiKeys.create({ nme: 'typo' });
void main();
`;

it.each([
  // TypeScript 7 has no `node10`, which was the default for `commonjs` up to version 5.
  ['commonjs', 'node10', 'commonjs', TSC_6],
  ['commonjs', 'node16', 'node16', TSC],
  ['module', 'node16', 'node16', TSC],
])(
  'compiles and runs in a TypeScript project of type %s, resolved as %s',
  async (type, moduleResolution, module, tsc) => {
    const folder = join(project.folder, `typescript-${type}-${moduleResolution}`);
    await mkdir(folder);
    await writeFile(join(folder, 'main.ts'), withOptions(SMALL_PROGRAM));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type }));
    const compilerOptions = {
      strict: true,
      skipLibCheck: true,
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
      module,
      moduleResolution,
      rootDir: '.',
      outDir: 'out',
      ...(moduleResolution === 'node10' && { ignoreDeprecations: '6.0' }),
    };
    const config = { compilerOptions, files: ['main.ts'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await runToEnd(process.execPath, [tsc, '-p', folder], folder);
    const output = await runToEnd(process.execPath, [join('out', 'main.js')], folder);
    expect(output).toBe('Ada true function\nkey_not_found\n');
  },
);

it('has no dependencies', async () => {
  const manifest = JSON.parse(
    await readFile(join(project.folder, 'node_modules/keyward/package.json'), 'utf8'),
  );
  expect(manifest.dependencies ?? {}).toEqual({});
  const lock = JSON.parse(await readFile(join(project.folder, 'package-lock.json'), 'utf8'));
  expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/keyward']);
});

/** Node, and the other runtimes that are installed. */
const RUNTIMES = [
  { name: 'node', command: process.execPath, argv: [] },
  { name: 'bun', command: findOnPath(['bun']), argv: [] },
  { name: 'deno', command: findOnPath(['deno']), argv: ['run', '--allow-net'] },
].filter(({ command }) => command !== null);

it.each(RUNTIMES)('runs under $name in an empty project', async ({ name, command, argv }) => {
  const file = await writeProgram(`${name}.mjs`);
  expect(await runToEnd(String(command), [...argv, file], project.folder)).toBe(OUTPUT);
  for (const { id } of (await app.client.get('/api-keys')).body) {
    await app.client.delete(`/api-keys/${id}?permanent=true`);
  }
});

it('imports only its own files, so that it runs on any runtime with fetch', async () => {
  const core = project.files.filter((path) =>
    /^dist\/(?!middleware\/|react\/|cjs\/).*\.js$/.test(path),
  );
  expect(core).toContain('dist/local/local-keyward.js');
  for (const path of core) {
    const text = await readFile(join(project.folder, 'node_modules/keyward', path), 'utf8');
    const imported = [...text.matchAll(/^(?:.* from|import) '([^']+)';$/gm)].map((m) => m[1]);
    expect(imported.filter((name) => !/^\.\.?\//.test(name!))).toEqual([]);
    expect(text, path).not.toMatch(
      /\b(process|Buffer)\.\w|\brequire\(|__dirname|setImmediate|import\(['"]/,
    );
  }
});

it('imports frameworks only as types, except for Nest', async () => {
  const adapters = project.files.filter((path) => /^dist\/middleware\/.*\.js$/.test(path));
  const needed = new Map<string, string[]>();
  for (const path of adapters) {
    const text = await readFile(join(project.folder, 'node_modules/keyward', path), 'utf8');
    const names = [...text.matchAll(/from '([^'.][^']*)'/g)].map((match) => match[1] ?? '');
    if (names.length > 0) needed.set(path, names);
  }
  expect([...needed]).toEqual([['dist/middleware/nest.js', ['@nestjs/common']]]);
});

it.each(['nodenext', 'bundler'])('has types that compile under strict, %s', async (resolution) => {
  const file = await writeProgram(`types-${resolution}.ts`);
  // Types that accept everything would compile too.
  await appendFile(file, '// @ts-expect-error\nawait keyward.apiKeys.create({ nme: "typo" });\n');
  const config = {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
      module: resolution === 'bundler' ? 'esnext' : 'nodenext',
      moduleResolution: resolution,
    },
    files: [file],
  };
  const configFile = join(project.folder, `tsconfig.${resolution}.json`);
  await writeFile(configFile, JSON.stringify(config));
  await runToEnd(process.execPath, [TSC, '-p', configFile], project.folder);
});
