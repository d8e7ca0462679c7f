import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { apiKey } from '@better-auth/api-key';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import type { PeerInput } from '../peers.ts';

/**
 * better-auth's API key plugin behind `node:http`: its own tables, keys created through its API with
 * a limit that no run reaches, and `verifyApiKey` for every request.
 * Arguments: port, file with the input as JSON, file for the requests, number of keys.
 */
const [port, inputFile, requestsFile, count] = process.argv.slice(2);
const { folder, responses } = JSON.parse(readFileSync(inputFile!, 'utf8')) as PeerInput;
const PATH = '/api-keys/auth/';

const database = new DatabaseSync(join(folder, 'better-auth.db'));
// What its users would set for speed.
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
const options = {
  database,
  baseURL: `http://127.0.0.1:${port}`,
  secret: 'bench-better-auth-secret-0123456789',
  telemetry: { enabled: false },
  emailAndPassword: { enabled: true },
  plugins: [
    apiKey({ rateLimit: { enabled: true, timeWindow: 3_600_000, maxRequests: 1_000_000 } }),
  ],
};
await (await getMigrations(options)).runMigrations();
const auth = betterAuth(options);
const { user } = await auth.api.signUpEmail({
  body: { name: 'Bench', email: 'bench@example.com', password: 'bench-password-0123456789' },
});
const paths: string[] = [];
for (let n = 0; n < Number(count); n++) {
  const { key } = await auth.api.createApiKey({ body: { userId: user.id, name: `Key ${n}` } });
  paths.push(PATH + key);
}
writeFileSync(requestsFile!, `${paths.join('\n')}\n`);

const [limited] = responses;
const headers = limited.headers.flat();
createServer((request, response) => {
  const key = request.url!.slice(PATH.length);
  auth.api.verifyApiKey({ body: { key } }).then(
    ({ valid }) => {
      if (valid) response.writeHead(200, headers).end(limited.body);
      else response.writeHead(404).end();
    },
    () => response.writeHead(500).end(),
  );
}).listen(Number(port), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
