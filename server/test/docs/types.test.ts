// Takes 5 s of CPU: the compiler loads the types of the SDK and of the frameworks.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { type Block, blocks, PROGRAMS, place, ROOT } from './blocks.ts';

/** What the programs of the documentation use and leave to the reader's own program. */
const READER = `
import type { Keyward as Client } from 'keyward';
import type { RequestHandler } from 'express';
declare global {
  const url: string, accessKey: string, value: string, other: string, id: string, token: string, secret: string;
  const rawBody: string, headers: Record<string, string>, cursor: string | undefined;
  const keyward: Client;
  const KeywardError: typeof import('keyward').KeywardError;
  const logger: Console;
  const listDocuments: RequestHandler & ((request: unknown) => unknown), addDocument: RequestHandler, search: RequestHandler;
  const session: { url: string; token: string };
  function askForAnotherValue(): void;
  function openAgain(): void;
  function forget(id: string): void;
  function getConnInfo(c: import('hono').Context): { remote: { address?: string } };
  function oldValidate(value: string): Promise<{ name: string; userId: string; createdAt: string } | null>;
}
export {};
`;

const FRAMEWORKS = {
  express: "import('express').Express",
  fastify: "import('fastify').FastifyInstance",
  hono: "import('hono').Hono",
  next: 'never',
};

function frameworkOf(code: string): keyof typeof FRAMEWORKS {
  const imported = /'keyward\/(express|fastify|hono|next)'/.exec(code)?.[1];
  if (imported !== undefined) return imported as keyof typeof FRAMEWORKS;
  return code.includes('app.register(') ? 'fastify' : 'express';
}

/** The block as a module, with the `app` and the `protect` of its framework if it does not say where they are from. */
function moduleOf({ code }: Block): string {
  const framework = frameworkOf(code);
  const lines = ['export {};'];
  if (/\bapp\./.test(code) && !/\bapp\b[^.\n]* =/.test(code))
    lines.push(`declare const app: ${FRAMEWORKS[framework]};`);
  if (/\bprotect\(/.test(code) && !/import .*\bprotect\b/.test(code))
    lines.push(`import { protect } from 'keyward/${framework}';`);
  return `${code}\n${lines.join('\n')}\n`;
}

/** Parameters without a type, in JavaScript. */
const UNTYPED = new Set([7006, 7031]);

it('programs are correct under `strict`', () => {
  const folder = mkdtempSync(join(ROOT, 'server/test/.docs-'));
  try {
    const programs = blocks.filter(
      ({ language, note }) =>
        PROGRAMS.includes(language) && (note === '' || note.includes('/docs/')),
    );
    expect(programs.length).toBeGreaterThan(10);
    const reader = join(folder, 'reader.d.ts');
    writeFileSync(reader, READER);
    const files = new Map(
      programs.map((block, number) => {
        const file = join(folder, `${number}.${block.language === 'tsx' ? 'tsx' : 'ts'}`);
        writeFileSync(file, moduleOf(block));
        return [file, block];
      }),
    );
    const program = ts.createProgram([reader, ...files.keys()], {
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.NodeNext,
      jsx: ts.JsxEmit.ReactJSX,
      experimentalDecorators: true,
      types: ['node'],
      lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      strict: true,
      skipLibCheck: true,
      noEmit: true,
    });
    const problems = [...files].flatMap(([file, block]) => {
      const source = program.getSourceFile(file)!;
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
        .filter(({ code }) => block.language !== 'js' || !UNTYPED.has(code))
        .map(
          ({ messageText, code }) =>
            `${place(block)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')} (${code})`,
        );
    });
    expect(problems).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
