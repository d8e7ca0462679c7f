import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { KeywardError } from 'keyward';
import type { ZodRawShape, z } from 'zod';
import { maskIn } from '../../../kernel/secrets/key-values.ts';

interface Tool<Input extends ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** What the agent's user is told before the tool runs. */
  readonly effect: 'reads' | 'adds' | 'destroys';
  run(input: z.infer<z.ZodObject<Input>>): Promise<ToolResult>;
}

interface ToolResult {
  /** A sentence about what was done; a list needs none. */
  readonly summary?: string;
  readonly data: unknown;
}

const ANNOTATIONS: Readonly<Record<Tool<never>['effect'], ToolAnnotations>> = {
  reads: { readOnlyHint: true, openWorldHint: false },
  adds: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  destroys: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
};

/** Registers tools: results and errors become text, with generated values masked unless they may be shown. */
export class ToolSet {
  readonly #server: McpServer;
  readonly #showsValues: boolean;

  constructor(server: McpServer, showsValues: boolean) {
    this.#server = server;
    this.#showsValues = showsValues;
  }

  add<const Input extends ZodRawShape>(tool: Tool<Input>): void {
    const { name, title, description, input, effect } = tool;
    const run = async (given: unknown) => {
      try {
        const { summary, data } = await tool.run(given as z.infer<z.ZodObject<Input>>);
        const json = JSON.stringify(data, null, 2);
        return this.#text(summary === undefined ? json : `${summary}\n\n${json}`);
      } catch (error) {
        return { ...this.#text(errorText(error)), isError: true };
      }
    };
    const config = { title, description, inputSchema: input, annotations: ANNOTATIONS[effect] };
    this.#server.registerTool(name, config, run as never);
  }

  #text(text: string) {
    return {
      content: [{ type: 'text' as const, text: this.#showsValues ? text : maskIn(text) }],
    };
  }
}

function errorText(error: unknown): string {
  if (!(error instanceof KeywardError)) return error instanceof Error ? error.message : `${error}`;
  const { message, code, docs } = error;
  return `${message} (${code})${docs === null ? '' : `\nSee: ${docs}`}`;
}
