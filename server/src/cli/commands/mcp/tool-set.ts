import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  type Tool as ListedTool,
  ListToolsRequestSchema,
  type ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import { KeywardError } from 'keyward';
import type { Static, TObject } from 'typebox';
import { type Check, createCheck } from '../../../kernel/json/check-value.ts';
import { maskIn } from '../../../kernel/secrets/key-values.ts';

interface Tool<Input extends TObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** What the agent's user is told before the tool runs. */
  readonly effect: 'reads' | 'adds' | 'destroys';
  run(input: Static<Input>): Promise<ToolResult>;
}

interface ToolResult {
  /** A sentence about what was done; a list needs none. */
  readonly summary?: string;
  readonly data: unknown;
}

interface KnownTool {
  readonly listed: ListedTool;
  readonly check: Check;
  run(input: unknown): Promise<ToolResult>;
}

const ANNOTATIONS: Readonly<Record<Tool<never>['effect'], ToolAnnotations>> = {
  reads: { readOnlyHint: true, openWorldHint: false },
  adds: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  destroys: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
};

/** Lists and runs tools: results and errors become text, with generated values masked unless they may be shown. */
export class ToolSet {
  readonly #tools = new Map<string, KnownTool>();
  readonly #showsValues: boolean;

  constructor(showsValues: boolean) {
    this.#showsValues = showsValues;
  }

  add<Input extends TObject>(tool: Tool<Input>): void {
    const { name, title, description, input, effect } = tool;
    this.#tools.set(name, {
      listed: {
        name,
        title,
        description,
        inputSchema: input as ListedTool['inputSchema'],
        annotations: ANNOTATIONS[effect],
      },
      check: createCheck(input, 'json', 'The input'),
      run: (given) => tool.run(given as Static<Input>),
    });
  }

  serveWith(server: Server): void {
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [...this.#tools.values()].map(({ listed }) => listed),
    }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
      this.#call(params.name, params.arguments ?? {}),
    );
  }

  async #call(name: string, input: unknown): Promise<CallToolResult> {
    try {
      const tool = this.#tools.get(name);
      if (tool === undefined) throw new Error(`There is no tool ${JSON.stringify(name)}.`);
      const wrong = tool.check(input);
      if (wrong !== null) throw new Error(wrong);
      const { summary, data } = await tool.run(input);
      const json = JSON.stringify(data, null, 2);
      return this.#text(summary === undefined ? json : `${summary}\n\n${json}`);
    } catch (error) {
      return { ...this.#text(errorText(error)), isError: true };
    }
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
