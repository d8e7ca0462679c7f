import { createServer } from 'node:net';
import type { Config } from '../../../app/config.ts';
import { packageVersion } from '../../../kernel/files.ts';
import { systemClock } from '../../../kernel/time/clock.ts';
import { clockFinding } from './engines.ts';
import { type Finding, messageOf, ok, problem, warning } from './finding.ts';

const TIMEOUT_MS = 5_000;

/** The port: free, or used by a running Keyward of the same version. */
export async function checkPort(config: Config): Promise<Finding[]> {
  const { port, host } = config;
  const name = `port ${port} on ${host}`;
  const failure = await listen(port, host);
  if (failure === null) return [ok(`${name}: free; no server is running there`)];
  if (failure.code === 'EACCES')
    return [
      problem(
        `${name}: this user may not listen there`,
        'Choose a port from 1024, and put a proxy in front.',
      ),
    ];
  if (failure.code !== 'EADDRINUSE')
    return [problem(`${name}: ${failure.message}`, 'Check HOST and PORT.')];
  const shownHost =
    host === '0.0.0.0'
      ? '127.0.0.1'
      : host === '::'
        ? '[::1]'
        : host.includes(':')
          ? `[${host}]`
          : host;
  const version = await versionAt(`http://${shownHost}:${port}`);
  return version === null
    ? [
        problem(
          `${name}: another program uses it`,
          'Choose another with PORT or --port, or stop that program.',
        ),
      ]
    : [versionOfServer(`the server at ${name}`, version)];
}

function listen(port: number, host: string): Promise<NodeJS.ErrnoException | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

const versionOfServer = (name: string, version: string): Finding =>
  version === packageVersion()
    ? ok(`${name} runs version ${version}`)
    : warning(
        `${name} runs version ${version}, and this command is ${packageVersion()}`,
        'Restart the server if it was upgraded, or use its own version of the command.',
      );

/** null: nothing there speaks like Keyward. */
async function versionAt(url: string): Promise<string | null> {
  try {
    const response = await fetch(`${url}/`, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = (await response.json()) as { name?: unknown; version?: unknown };
    return typeof body.version === 'string' ? body.version : null;
  } catch {
    return null;
  }
}

/** The public URL: leads to this server, with TLS; and what a proxy in front needs. */
export async function checkPublicUrl(config: Config): Promise<Finding[]> {
  const { publicUrl, trustedProxies, host } = config;
  const isLocal = /^(127\.|::1$|localhost$)/.test(host);
  if (publicUrl === null)
    return isLocal
      ? []
      : [
          warning(
            `the server listens on ${host}, and KEYWARD_PUBLIC_URL is not set`,
            'Set it to the address that people open: links in mails and the portal begin with it.',
          ),
        ];
  const found: Finding[] = [];
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === 'http:' && !/^(127\.|localhost$|\[::1\]$)/.test(hostname))
    found.push(
      problem(
        `public URL ${publicUrl}: keys and sessions travel unencrypted`,
        'Put a proxy with TLS in front (docs/guides/one-machine.md), and use https:// here.',
      ),
    );
  if (protocol === 'https:' && trustedProxies.length === 0)
    found.push(
      warning(
        `public URL ${publicUrl} has TLS, so a proxy is in front, and KEYWARD_TRUSTED_PROXIES is not set`,
        'Set it to the address of the proxy: otherwise every user seems to have that address, in the audit log and for limits of sign-in.',
      ),
    );
  return [...found, ...(await reach(publicUrl))];
}

async function reach(url: string): Promise<Finding[]> {
  try {
    const started = systemClock();
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const date = Date.parse(response.headers.get('date') ?? '');
    if (!response.ok)
      return [
        warning(
          `public URL ${url}: responds with ${response.status}`,
          'Check the proxy, and whether the server runs.',
        ),
      ];
    const found = [ok(`public URL ${url}: reachable`)];
    // The header has whole seconds.
    if (!Number.isNaN(date)) found.push(clockFinding('the public URL', date + 500, started));
    return found;
  } catch (error) {
    return [
      warning(
        `public URL ${url}: ${messageOf((error as Error).cause ?? error)}`,
        'From this machine it cannot be reached: check DNS, the proxy, and whether the server runs.',
      ),
    ];
  }
}
