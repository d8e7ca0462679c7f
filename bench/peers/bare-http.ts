import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { WireResponse } from '../peers.ts';

/** The least that `node:http` can do: sends captured responses in turn. Arguments: port, file. */
const [port, file] = process.argv.slice(2);
const captured = JSON.parse(readFileSync(file!, 'utf8')) as WireResponse[];
const responses = captured.map(({ status, headers, body }) => ({
  status,
  headers: headers.flat(),
  body: Buffer.from(body),
  // Otherwise Node would add a date to a response that was captured without one.
  sendDate: headers.some(([name]) => name.toLowerCase() === 'date'),
}));

let turn = 0;
createServer((_request, response) => {
  const { status, headers, body, sendDate } = responses[turn++ % responses.length]!;
  response.sendDate = sendDate;
  response.writeHead(status, headers);
  response.end(body);
}).listen(Number(port), '127.0.0.1');
