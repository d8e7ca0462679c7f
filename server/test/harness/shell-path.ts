import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const KEYWARD = fileURLToPath(new URL('../../bin/keyward.mjs', import.meta.url));

/**
 * A PATH for commands of the documentation, in which `npx keyward` and `npx -y @keyward/server` run the command line
 * without npm.
 */
export function shellPath(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const shim = `#!/bin/sh\n[ "$1" = -y ] && shift\nshift\nexec "${process.execPath}" "${KEYWARD}" "$@"\n`;
  writeFileSync(join(bin, 'npx'), shim);
  chmodSync(join(bin, 'npx'), 0o755);
  return [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
}
