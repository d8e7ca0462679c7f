import { type Command, defineCommand } from '../command.ts';

// The edge is loaded when the command runs, so that the help does not wait for it.
const edge = defineCommand({
  words: 'edge',
  summary: 'Start an edge, which validates keys beside your application',
  details:
    'An edge answers validations from memory and asks the server only for what it does not know. It has no database. Ctrl-C stops it after it has finished the running requests, SIGTERM after it has drained, too.',
  options: {
    upstream: { value: 'URL', help: 'Address of the server [KEYWARD_UPSTREAM_URL]' },
    'access-key': {
      value: 'KEY',
      help: 'Access key of the edge, with the scope keys:validate [KEYWARD_ACCESS_KEY]',
    },
    'timeout-seconds': {
      value: 'SECONDS',
      help: 'How long a request waits for the server [KEYWARD_UPSTREAM_TIMEOUT_SECONDS, default 1]',
    },
    listen: {
      value: 'ADDRESS',
      help: 'host:port, or the path of a Unix socket [KEYWARD_EDGE_LISTEN, default 127.0.0.1:8090]',
    },
    processes: { value: 'N', help: 'Processes that share the TCP port [default 1]' },
    trust: {
      help: 'Let callers without an access key, and all gateways, use that of the edge; only on a Unix socket or loopback address',
    },
    'on-unavailable': {
      value: 'POLICY',
      help: 'While the server is unreachable: deny (503), or serve-known (known keys for --stale-seconds) [default deny]',
    },
    'trusted-proxies': {
      value: 'CIDRS',
      help: 'Gateways whose --client-ip-header is read, separated by commas [KEYWARD_TRUSTED_PROXIES]',
    },
    'client-ip-header': {
      value: 'NAME',
      help: 'Header with the address of the user, at /gateway/verify only [KEYWARD_CLIENT_IP_HEADER]',
    },
    'stale-seconds': {
      value: 'SECONDS',
      help: 'How long serve-known serves known keys [KEYWARD_STALE_SECONDS, default 60]',
    },
    'drain-seconds': {
      value: 'SECONDS',
      help: 'How long the edge still accepts requests after SIGTERM, while it reports not ready [KEYWARD_DRAIN_SECONDS, default 3]',
    },
  },
  examples: [
    'KEYWARD_ACCESS_KEY=live_access_… npx keyward edge --upstream https://keys.example.com',
    'npx keyward edge --upstream https://keys.example.com --listen /tmp/keyward-edge.sock --trust',
    'npx keyward edge --upstream https://keys.example.com --listen 0.0.0.0:8090 --processes 4',
  ],
  async run({ values, terminal }) {
    const { readEdgeSettings } = await import('../../edge/settings.ts');
    const settings = readEdgeSettings(values, terminal.env);
    const { PROCESS_NUMBER } = await import('../../edge/process-messages.ts');
    const isOneOfSeveral = settings.processes > 1;
    const processNumber = isOneOfSeveral ? terminal.env[PROCESS_NUMBER] : undefined;
    if (isOneOfSeveral && processNumber === undefined) {
      const { superviseEdges } = await import('../../edge/supervisor.ts');
      superviseEdges(settings, process.argv.slice(2));
      return 0;
    }
    const { serveEdge } = await import('../../edge/serve.ts');
    await serveEdge(settings, processNumber);
    return 0;
  },
});

export const edgeCommands: readonly Command[] = [edge];
