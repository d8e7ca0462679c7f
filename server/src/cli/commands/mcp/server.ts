import { once } from 'node:events';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { packageVersion } from '../../../kernel/files.ts';
import type { Api } from '../../api.ts';
import { addKeyTools } from './key-tools.ts';
import { NewValues } from './new-values.ts';
import { addReportTools } from './report-tools.ts';
import { ToolSet } from './tool-set.ts';

const INSTRUCTIONS = `Keyward issues and validates API keys. A key has an id (key_…), which is not secret, and a value, which is. Refer to keys by their id. Times are ISO 8601, in UTC.`;

/** Serves the tools until the agent closes standard input. Values are stored in `valuesFile`, or shown if it is null. */
export async function serveMcp(api: Api, valuesFile: string | null): Promise<void> {
  const server = new McpServer(
    { name: 'keyward', title: 'Keyward', version: packageVersion() },
    { instructions: INSTRUCTIONS },
  );
  const tools = new ToolSet(server, valuesFile === null);
  addKeyTools(tools, api, new NewValues(valuesFile));
  addReportTools(tools, api);
  // The transport does not report the end of its input.
  const ended = once(process.stdin, 'end');
  await server.connect(new StdioServerTransport());
  await ended;
}
