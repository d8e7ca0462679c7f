import { runCli } from './cli/run.ts';
import { systemTerminal } from './cli/terminal/terminal.ts';

const code = await runCli(process.argv.slice(2), systemTerminal());
// Only a failure is set: `serve` goes on after this line and knows its own end.
if (code !== 0) process.exitCode = code;
