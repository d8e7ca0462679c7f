import type { PackageFolder } from './extra-packages.ts';
import type { Tool } from './test-tools.ts';

/** What a group of `npm run test:system` needs besides `npm ci`. */
interface Needs {
  readonly tools: readonly Tool[];
  /** The folder with packages that only this group needs. */
  readonly packages?: PackageFolder;
}

/** A group without tools or packages only takes long: it needs nothing but `npm ci`. */
export const NEEDS: Readonly<Record<string, Needs>> = {
  browser: { tools: ['chromium'] },
  clients: {
    tools: ['python', 'mypy', 'go', 'nginx', 'bash', 'curl', 'fastapi', 'flask', 'uvicorn'],
  },
  cluster: { tools: [] },
  deploy: {
    tools: [
      ...([
        'bash',
        'buildah',
        'caddy',
        'go',
        'haproxy',
        'nginx',
        'prometheus',
        'promtool',
      ] as const),
      ...(['redis', 'sprig', 'systemd'] as const),
    ],
    packages: 'deploy',
  },
  docs: { tools: ['bash', 'curl', 'git'] },
  faults: { tools: ['ip', 'mkfs', 'redis'] },
  gateways: { tools: ['nginx', 'caddy', 'haproxy'] },
  packages: { tools: ['chromium'], packages: 'packages' },
  postgres: { tools: [] },
  redis: { tools: ['redis'] },
};
