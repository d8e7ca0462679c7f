import { readdirSync, statSync } from 'node:fs';

/** Throws if a source file is newer than the build: tests would hang, or test outdated code. */
export function assertBuilt(workspace: 'dashboard' | 'sdk', output: string): void {
  const folder = new URL(`../../../${workspace}/`, import.meta.url);
  const changedAt = (file: string) => statSync(new URL(file, folder)).mtimeMs;
  const builtAt = changedAt(`dist/${output}`);
  const newer = readdirSync(new URL('src/', folder), { recursive: true })
    .map((file) => `src/${file}`)
    .find((file) => /\.(tsx?|css)$/.test(file) && changedAt(file) > builtAt);
  if (newer !== undefined)
    throw new Error(
      `${workspace}/${newer} is newer than the build. Run: npm run build -w ${workspace}`,
    );
}
