import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runTool } from './run-tool.ts';

/** Programs that tests need and npm cannot bring: what they may be called, and Debian's package. */
const TOOLS = {
  chromium: { commands: ['chromium', 'chromium-browser', 'google-chrome'], package: 'chromium' },
  redis: { commands: ['redis-server', 'valkey-server'], package: 'redis-server' },
  nginx: { commands: ['nginx'], package: 'nginx' },
  caddy: { commands: ['caddy'], package: 'caddy' },
  haproxy: { commands: ['haproxy'], package: 'haproxy' },
} as const;
export type Tool = keyof typeof TOOLS;

/**
 * The path of a tool: from PATH, else installed by apt-get where we are root on Debian. Where
 * neither is possible the run ends here, with the line that says what is missing.
 */
export async function ensureTool(tool: Tool): Promise<string> {
  const { commands, package: name } = TOOLS[tool];
  const found = findOnPath(commands);
  if (found !== null) return found;
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) stop(tool, name);
  console.log(`installing ${name} with apt-get`);
  await updatePackageLists();
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await runTool('apt-get', ['install', '-y', '--no-install-recommends', name], { env });
  return findOnPath(commands) ?? stop(tool, name);
}

/** The gateways that recipes are tested against, as the tests want them named. */
export const gatewayPaths = async (): Promise<Record<string, string>> => ({
  NGINX_PATH: await ensureTool('nginx'),
  CADDY_PATH: await ensureTool('caddy'),
  HAPROXY_PATH: await ensureTool('haproxy'),
});

let updated: Promise<unknown> | null = null;
function updatePackageLists(): Promise<unknown> {
  updated ??= runTool('apt-get', ['update']);
  return updated;
}

export function findOnPath(
  commands: readonly string[],
  path: string = process.env.PATH ?? '',
): string | null {
  for (const command of commands) {
    for (const folder of path.split(delimiter)) {
      const file = join(folder, command);
      if (folder !== '' && isExecutable(file)) return file;
    }
  }
  return null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function stop(tool: Tool, name: string): never {
  console.error(`The tests need ${tool}. Install it (on Debian: apt-get install ${name}).`);
  process.exit(1);
}
