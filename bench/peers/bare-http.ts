import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RawAnswer } from '../raw-answer.ts';

/**
 * The least that `node:http` can do: answers every request with captured answers in turn, byte for
 * byte as long as ours, and looks at nothing. Arguments: the port and a file of answers as JSON.
 */
const [port, file] = process.argv.slice(2);
const captured = JSON.parse(readFileSync(file!, 'utf8')) as RawAnswer[];
const answers = captured.map(({ status, headers, body }) => ({
  status,
  // Node would write its own next to ours: the captured ones say all there is to say.
  headers: headers.flat(),
  body: Buffer.from(body),
  sendsDate: headers.some(([name]) => name.toLowerCase() === 'date'),
}));

let turn = 0;
createServer((_request, response) => {
  const answer = answers[turn++ % answers.length]!;
  response.sendDate = answer.sendsDate;
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
}).listen({ port: Number(port), host: '127.0.0.1' });
