import { readdirSync, statSync } from 'node:fs';

const ROOT = new URL('../../../', import.meta.url);
const IS_SOURCE = /(?<!\.test)\.tsx?$|\.css$/;

/** Throws if a source file is newer than the build: tests would hang, or test outdated code. */
export function assertBuilt(workspace: 'dashboard' | 'sdk', output: string): void {
  const changedAt = (file: string) => statSync(new URL(file, ROOT)).mtimeMs;
  const builtAt = changedAt(`${workspace}/dist/${output}`);
  const newer = [`${workspace}/src/`, 'rules/src/']
    .flatMap((folder) =>
      readdirSync(new URL(folder, ROOT), { recursive: true }).map((file) => `${folder}${file}`),
    )
    .find((file) => IS_SOURCE.test(file) && changedAt(file) > builtAt);
  if (newer !== undefined)
    throw new Error(`${newer} is newer than the build. Run: npm run build -w ${workspace}`);
}
