import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve, sep } from 'node:path';

/**
 * Compiles the client twice, for `import` and for `require`, into dist or the folder named. The rules that
 * it shares with the server become a folder of it: tsc would leave the name of their package as it is.
 */
const target = resolve(process.argv[2] ?? join(import.meta.dirname, 'dist'));
const require = createRequire(import.meta.url);
const tsc = join(require.resolve('@typescript/native/package.json'), '../bin/tsc');
const sources = mkdtempSync(join(import.meta.dirname, '.build-'));

/** Of the rules, only those that the client imports. */
const compile = (project, folder) => {
  const config = join(sources, project);
  const compilerOptions = { rootDir: 'src', outDir: folder };
  const extended = { extends: `../${project}`, compilerOptions };
  writeFileSync(config, JSON.stringify({ ...extended, include: ['src'], exclude: ['src/rules'] }));
  execFileSync(process.execPath, [tsc, '-p', config], { stdio: 'inherit' });
};

function copySources() {
  const folder = join(sources, 'src');
  cpSync(join(import.meta.dirname, 'src'), folder, { recursive: true });
  cpSync(join(import.meta.dirname, '../rules/src'), join(folder, 'rules'), { recursive: true });
  for (const file of readdirSync(folder, { recursive: true })) {
    if (!/\.tsx?$/.test(file)) continue;
    const path = join(folder, file);
    const up = '../'.repeat(file.split(sep).length - 1) || './';
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replaceAll("'@keyward/rules/", `'${up}rules/`));
  }
}

rmSync(target, { recursive: true, force: true });
try {
  copySources();
  compile('tsconfig.json', target);
  compile('tsconfig.cjs.json', join(target, 'cjs'));
} finally {
  rmSync(sources, { recursive: true });
}
writeFileSync(join(target, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
cpSync(join(import.meta.dirname, 'src/react/react.css'), join(target, 'react.css'));
// For `import 'keyward/react.css'` in TypeScript, which checks imports without names too.
writeFileSync(join(target, 'react.css.d.ts'), 'export {};\n');
