import { createInterface } from 'node:readline/promises';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { styleText } from 'node:util';
import { UsageError } from '../failure.ts';

type Style = 'bold' | 'dim' | 'green' | 'red';

/** The environment of a command; tests replace it. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** null: a file or a pipe, where nothing is shortened. */
  readonly columns: number | null;
  out(text: string): void;
  err(text: string): void;
  /** Replaces its previous line; does nothing without a terminal. */
  progress(line: string): void;
  style(style: Style, text: string): string;
  readInput(): Promise<string>;
  /** Asks a question; undefined without a terminal. */
  ask?(question: string): Promise<string>;
  /** Like `ask`, and does not show what is typed. */
  askSecret?(question: string): Promise<string>;
}

export function systemTerminal(): Terminal {
  const { stdout, stderr, stdin, env } = process;
  const color = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  // `npx keyward keys list --all | head` is not an error.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  return {
    env,
    columns: stdout.isTTY === true ? stdout.columns : null,
    out: (line) => void stdout.write(line),
    err: (line) => void stderr.write(line),
    progress: (line) => {
      if (stderr.isTTY === true) stderr.write(`\r\x1b[K${line}`);
    },
    style: (style, line) => (color ? styleText(style, line, { validateStream: false }) : line),
    async readInput() {
      if (stdin.isTTY === true) stderr.write('Paste the value, then press Enter and Ctrl-D:\n');
      const value = (await text(stdin)).trim();
      if (value === '') throw new UsageError('standard input is empty');
      return value;
    },
    ...(stdin.isTTY === true && stderr.isTTY === true && { ask: askOnce, askSecret: askHidden }),
  };
}

async function askOnce(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

async function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const lines = createInterface({
    input: process.stdin,
    output: new PassThrough(),
    terminal: true,
  });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

/** Resolves at Ctrl-C or SIGTERM. The second signal ends the process. */
export function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
