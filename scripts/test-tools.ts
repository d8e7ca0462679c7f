import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { runTool } from './run-tool.ts';

/**
 * Tools that npm cannot install: possible names of the command, or a file; the Debian package; and the
 * environment variable that passes the path to the tests.
 */
const TOOLS = {
  bash: { commands: ['bash'], package: 'bash' },
  buildah: { commands: ['buildah'], package: 'buildah', variable: 'BUILDAH_PATH' },
  caddy: { commands: ['caddy'], package: 'caddy', variable: 'CADDY_PATH' },
  // chromium-headless-shell renders the same pages with an eighth less processor time.
  chromium: {
    commands: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
    package: 'chromium-headless-shell',
    variable: 'CHROMIUM_PATH',
  },
  curl: { commands: ['curl'], package: 'curl' },
  fastapi: {
    commands: ['/usr/lib/python3/dist-packages/fastapi/__init__.py'],
    package: 'python3-fastapi',
  },
  flask: {
    commands: ['/usr/lib/python3/dist-packages/flask/__init__.py'],
    package: 'python3-flask',
  },
  git: { commands: ['git'], package: 'git' },
  go: { commands: ['go'], package: 'golang-go', variable: 'GO_PATH' },
  haproxy: { commands: ['haproxy'], package: 'haproxy', variable: 'HAPROXY_PATH' },
  // Programs for root are not on the path of everyone.
  ip: { commands: ['ip', '/usr/sbin/ip', '/sbin/ip'], package: 'iproute2' },
  mkfs: { commands: ['mkfs.ext4', '/usr/sbin/mkfs.ext4', '/sbin/mkfs.ext4'], package: 'e2fsprogs' },
  mypy: { commands: ['mypy'], package: 'mypy', variable: 'MYPY_PATH' },
  nginx: { commands: ['nginx'], package: 'nginx', variable: 'NGINX_PATH' },
  prometheus: { commands: ['prometheus'], package: 'prometheus', variable: 'PROMETHEUS_PATH' },
  promtool: { commands: ['promtool'], package: 'prometheus', variable: 'PROMTOOL_PATH' },
  python: { commands: ['python3'], package: 'python3', variable: 'PYTHON_PATH' },
  redis: {
    commands: ['redis-server', 'valkey-server'],
    package: 'redis-server',
    variable: 'REDIS_SERVER',
  },
  // The template functions of Helm, for the tests of the chart.
  sprig: {
    commands: ['/usr/share/gocode/src/github.com/Masterminds/sprig/functions.go'],
    package: 'golang-github-masterminds-sprig-dev',
    variable: 'SPRIG_PATH',
  },
  systemd: {
    commands: ['systemd-analyze'],
    package: 'systemd',
    variable: 'SYSTEMD_ANALYZE_PATH',
  },
  uvicorn: { commands: ['uvicorn'], package: 'uvicorn' },
  wrk: { commands: ['wrk'], package: 'wrk' },
} as const satisfies Record<
  string,
  { commands: readonly string[]; package: string; variable?: string }
>;
export type Tool = keyof typeof TOOLS;

/**
 * The path of a tool. If it is missing, it is installed with apt-get (as root on Debian); otherwise
 * the error names it.
 */
export async function ensureTool(tool: Tool): Promise<string> {
  const { commands, package: name } = TOOLS[tool];
  const found = find(commands);
  if (found !== null) return found;
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    console.log(`installing ${name} with apt-get`);
    await updatePackageLists();
    const env = { DEBIAN_FRONTEND: 'noninteractive' };
    await runTool('apt-get', ['install', '-y', '--no-install-recommends', name], { env });
  }
  const installed = find(commands);
  if (installed === null)
    throw new Error(`${tool} is not installed. Install it (on Debian: apt-get install ${name}).`);
  return installed;
}

/** Environment variables with the paths of tools, which are installed if they are missing. */
export async function pathsOf(tools: readonly Tool[]): Promise<Record<string, string>> {
  const paths: Record<string, string> = {};
  for (const tool of tools) {
    const path = await ensureTool(tool);
    const { variable } = TOOLS[tool] as { readonly variable?: string };
    if (variable !== undefined) paths[variable] = path;
  }
  return paths;
}

const find = (commands: readonly string[]): string | null =>
  commands.find((command) => isAbsolute(command) && existsSync(command)) ?? findOnPath(commands);

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
