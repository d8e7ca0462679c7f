import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Compiles the client twice, for `import` and for `require`, into dist or the folder named. */
const target = process.argv[2] ?? join(import.meta.dirname, 'dist');
const { resolve } = createRequire(import.meta.url);
const tsc = join(resolve('@typescript/native/package.json'), '../bin/tsc');

const compile = (project, folder) =>
  execFileSync(
    process.execPath,
    [tsc, '-p', join(import.meta.dirname, project), '--outDir', folder],
    { stdio: 'inherit' },
  );

rmSync(target, { recursive: true, force: true });
compile('tsconfig.json', target);
compile('tsconfig.cjs.json', join(target, 'cjs'));
writeFileSync(join(target, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
cpSync(join(import.meta.dirname, 'src/react/react.css'), join(target, 'react.css'));
// For `import 'keyward/react.css'` in TypeScript, which checks imports without names too.
writeFileSync(join(target, 'react.css.d.ts'), 'export {};\n');
