import { once } from 'node:events';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { packageVersion } from '../../../kernel/files.ts';
import type { Api } from '../../api.ts';
import { addKeyTools } from './key-tools.ts';
import { NewValues, type ValuesOfNewKeys } from './new-values.ts';
import { addReportTools } from './report-tools.ts';
import { ToolSet } from './tool-set.ts';

const INSTRUCTIONS = `Keyward issues and validates API keys. A key has an id (key_…), which is not secret, and a value, which is. Refer to keys by their id. Times are ISO 8601, in UTC.`;

/** Serves the tools until the agent closes standard input. */
export async function serveMcp(api: Api, values: ValuesOfNewKeys): Promise<void> {
  // The high-level server takes schemas of zod only; ours are JSON Schema already.
  const server = new Server(
    { name: 'keyward', title: 'Keyward', version: packageVersion() },
    { instructions: INSTRUCTIONS, capabilities: { tools: {} } },
  );
  const tools = new ToolSet(values === 'shown');
  addKeyTools(tools, api, new NewValues(values));
  addReportTools(tools, api);
  tools.serveWith(server);
  // The transport does not report the end of its input.
  const ended = once(process.stdin, 'end');
  await server.connect(new StdioServerTransport());
  await ended;
}
