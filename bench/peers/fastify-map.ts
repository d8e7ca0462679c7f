import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import type { RawAnswer } from '../raw-answer.ts';

/**
 * What somebody would write with Fastify: a route with the key in its path, looked up in a Map of
 * all keys. Neither hash, nor access key, nor limit, nor count. Arguments: the port, the file of
 * keys, and the file of our answers, which it gives in our headers.
 */
const [port, keysFile, answersFile] = process.argv.slice(2);
const captured = JSON.parse(readFileSync(answersFile!, 'utf8')) as RawAnswer[];
/** Node writes these by itself. */
const OWN = new Set(['date', 'connection', 'keep-alive', 'content-length']);
const answers = captured.map(({ headers, body }) => ({
  headers: Object.fromEntries(headers.filter(([name]) => !OWN.has(name.toLowerCase()))),
  body,
}));
const keys = readFileSync(keysFile!, 'utf8').trimEnd().split('\n');
const known = new Map(keys.map((key, n) => [key, answers[n % answers.length]!]));

const app = fastify();
app.post<{ Params: { key: string } }>('/api-keys/auth/:key', (request, reply) => {
  const answer = known.get(request.params.key);
  if (answer === undefined) return reply.code(404).send();
  return reply.headers(answer.headers).send(answer.body);
});
await app.listen({ port: Number(port), host: '127.0.0.1' });
process.once('SIGTERM', () => process.exit(0));
