import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

/** Runs programs one after the other. Each line is `{ file, env }`, and the response is what it showed, or its error. */
let output = '';
console.log = (value) => {
  output += typeof value === 'string' ? value : inspect(value);
};
for await (const line of createInterface(process.stdin)) {
  const { file, env } = JSON.parse(line);
  Object.assign(process.env, env);
  output = '';
  const failed = await import(pathToFileURL(file).href).then(
    () => ({}),
    (error) => ({ error: String(error) }),
  );
  process.stdout.write(`${JSON.stringify({ output, ...failed })}\n`);
}
