import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { runTool } from './run-tool.ts';

/** Tools that npm cannot install: possible names of the command, or a file, and the Debian package. */
const TOOLS = {
  // chromium-headless-shell renders the same pages with an eighth less processor time.
  chromium: {
    commands: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
    package: 'chromium-headless-shell',
  },
  redis: { commands: ['redis-server', 'valkey-server'], package: 'redis-server' },
  nginx: { commands: ['nginx'], package: 'nginx' },
  caddy: { commands: ['caddy'], package: 'caddy' },
  haproxy: { commands: ['haproxy'], package: 'haproxy' },
  prometheus: { commands: ['prometheus'], package: 'prometheus' },
  promtool: { commands: ['promtool'], package: 'prometheus' },
  python: { commands: ['python3'], package: 'python3' },
  mypy: { commands: ['mypy'], package: 'mypy' },
  go: { commands: ['go'], package: 'golang-go' },
  buildah: { commands: ['buildah'], package: 'buildah' },
  systemd: { commands: ['systemd-analyze'], package: 'systemd' },
  sprig: {
    commands: ['/usr/share/gocode/src/github.com/Masterminds/sprig/functions.go'],
    package: 'golang-github-masterminds-sprig-dev',
  },
  wrk: { commands: ['wrk'], package: 'wrk' },
} as const;
export type Tool = keyof typeof TOOLS;

/**
 * The path of a tool. If it is missing, it is installed with apt-get (as root on Debian); otherwise
 * the run ends with a message that names it.
 */
export async function ensureTool(tool: Tool): Promise<string> {
  const { commands, package: name } = TOOLS[tool];
  const found = find(commands);
  if (found !== null) return found;
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) stop(tool, name);
  console.log(`installing ${name} with apt-get`);
  await updatePackageLists();
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await runTool('apt-get', ['install', '-y', '--no-install-recommends', name], { env });
  return find(commands) ?? stop(tool, name);
}

const find = (commands: readonly string[]): string | null =>
  commands.find((command) => isAbsolute(command) && existsSync(command)) ?? findOnPath(commands);

/** Environment variables with the paths of the gateways that the recipes are tested with. */
export const gatewayPaths = async (): Promise<Record<string, string>> => ({
  NGINX_PATH: await ensureTool('nginx'),
  CADDY_PATH: await ensureTool('caddy'),
  HAPROXY_PATH: await ensureTool('haproxy'),
});

/** Environment variables with the paths of the programs that check the alert rules. */
export const monitoringPaths = async (): Promise<Record<string, string>> => ({
  PROMETHEUS_PATH: await ensureTool('prometheus'),
  PROMTOOL_PATH: await ensureTool('promtool'),
});

/** Environment variables with the paths of the languages that Keyward has clients for. */
export const languagePaths = async (): Promise<Record<string, string>> => ({
  PYTHON_PATH: await ensureTool('python'),
  MYPY_PATH: await ensureTool('mypy'),
  GO_PATH: await ensureTool('go'),
  // The template functions of Helm, for the tests of the chart.
  SPRIG_PATH: await ensureTool('sprig'),
});

/** Environment variables with the paths of the programs that build the image and check the unit. */
export const deploymentPaths = async (): Promise<Record<string, string>> => ({
  BUILDAH_PATH: await ensureTool('buildah'),
  SYSTEMD_ANALYZE_PATH: await ensureTool('systemd'),
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
  console.error(`${tool} is not installed. Install it (on Debian: apt-get install ${name}).`);
  process.exit(1);
}
