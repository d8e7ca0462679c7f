import type { Tool } from './test-tools.ts';

/** What a group of `npm run test:system` needs besides `npm ci`. */
interface Needs {
  readonly tools: readonly Tool[];
  /** Folders with packages of their own. Those with a `tsconfig.json` are type-checked too. */
  readonly packages?: readonly string[];
}

/** A group without tools only takes long: it needs nothing but `npm ci`. */
export const NEEDS: Readonly<Record<string, Needs>> = {
  browser: { tools: ['chromium'] },
  clients: { tools: ['python', 'mypy', 'go', 'nginx'] },
  cluster: { tools: [] },
  deploy: {
    tools: [
      ...(['bash', 'buildah', 'go', 'haproxy', 'nginx', 'prometheus', 'promtool'] as const),
      ...(['redis', 'sprig', 'systemd'] as const),
    ],
  },
  docs: { tools: ['bash', 'curl', 'git'] },
  faults: { tools: ['ip', 'mkfs', 'redis'] },
  gateways: { tools: ['nginx', 'caddy', 'haproxy'] },
  packages: { tools: ['chromium'] },
  postgres: { tools: [] },
  redis: { tools: ['redis'] },
};
