import { runCli } from './cli/run.ts';
import { systemTerminal } from './cli/terminal/terminal.ts';

// Node 24 and 25 have no Temporal.
if (!('Temporal' in globalThis)) await import('temporal-polyfill/global');
const code = await runCli(process.argv.slice(2), systemTerminal());
// Sets the exit code only after a failure: `serve` keeps running after this line and sets its own.
if (code !== 0) process.exitCode = code;
