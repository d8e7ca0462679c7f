import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import type { PeerInput } from '../peers.ts';

/**
 * A Fastify route that looks the key up in a Map: no hash, access key, limit or count.
 * Arguments: port, file with the input as JSON.
 */
const [port, file] = process.argv.slice(2);
const { keys, responses } = JSON.parse(readFileSync(file!, 'utf8')) as PeerInput;
/** Headers that Node writes itself. */
const OWN = new Set(['date', 'connection', 'keep-alive', 'content-length']);
const answers = responses.map(({ headers, body }) => ({
  headers: Object.fromEntries(headers.filter(([name]) => !OWN.has(name.toLowerCase()))),
  body,
}));
const known = new Map(keys.map((key, n) => [key, answers[n % answers.length]!]));

const app = fastify();
app.post<{ Params: { key: string } }>('/api-keys/auth/:key', (request, reply) => {
  const response = known.get(request.params.key);
  if (response === undefined) return reply.code(404).send();
  return reply.headers(response.headers).send(response.body);
});
await app.listen({ port: Number(port), host: '127.0.0.1' });
process.once('SIGTERM', () => process.exit(0));
