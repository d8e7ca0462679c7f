/**
 * Measures the largest memory of `npx keyward import`, and the time of `npx keyward customers import`. Customers
 * are imported by a server of its own, on SQLite. Keys are sent to a server that stores nothing, so that only
 * the command is measured: two million keys would take an hour on a busy machine.
 *
 * node scripts/measure-import.mjs [keys=2000000] [customers=20000] [directory=a temporary one]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const [keys = 2_000_000, customers = 20_000] = process.argv.slice(2, 4).map(Number);
const given = process.argv[4];
const directory = given ?? mkdtempSync(join(tmpdir(), 'keyward-import-'));
const bin = fileURLToPath(new URL('../server/bin/keyward.mjs', import.meta.url));
const ACCESS_KEY = 'measure-import-access-key-0000000000';

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

async function writeRows(file, count, row) {
  if (existsSync(file)) return;
  const out = createWriteStream(file);
  for (let n = 0; n < count; n++)
    if (!out.write(`${JSON.stringify(row(n))}\n`)) await once(out, 'drain');
  out.end();
  await once(out, 'finish');
}

/** Runs a command; reads its largest memory from the system while it runs. */
async function measured(args, env) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [bin, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'ignore'],
  });
  let peakKb = 0;
  const reading = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {}
  }, 200);
  const [code] = await once(child, 'exit');
  clearInterval(reading);
  const seconds = (performance.now() - startedAt) / 1000;
  return { code, seconds: seconds.toFixed(1), peakMb: Math.round(peakKb / 1024) };
}

mkdirSync(directory, { recursive: true });
const keyFile = join(directory, `keys-${keys}.ndjson`);
const customerFile = join(directory, `customers-${customers}.ndjson`);
await writeRows(keyFile, keys, (n) => ({
  name: `Key ${n}`,
  key: `imported-${n.toString(36).padStart(12, '0')}-0123456789abcdef`,
  customAccountId: `customer-${n % 10_000}`,
}));
await writeRows(customerFile, customers, (n) => ({
  customAccountId: `customer-${n}`,
  name: `Customer ${n}`,
  email: `ops-${n}@example.com`,
  tags: ['imported'],
}));
const port = await freePort();
const dataDir = join(directory, 'data');
rmSync(dataDir, { recursive: true, force: true });
const server = spawn(process.execPath, [bin, 'serve'], {
  env: {
    ...process.env,
    PORT: String(port),
    KEYWARD_METRICS_PORT: '0',
    KEYWARD_DATA_DIR: dataDir,
    KEYWARD_BOOTSTRAP_ACCESS_KEY: ACCESS_KEY,
    KEYWARD_LOG_LEVEL: 'error',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
await once(server.stdout, 'data');
const env = { KEYWARD_URL: `http://127.0.0.1:${port}`, KEYWARD_ACCESS_KEY: ACCESS_KEY };
const figures = {};
if (customers > 0)
  figures[`${customers} customers`] = await measured(['customers', 'import', customerFile], env);
if (keys > 0) {
  const stub = createHttpServer(async (request, response) => {
    const { keys: rows = [] } = await json(request);
    const results = rows.map((_, index) => ({ index, status: 'imported', id: `key_${index}` }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ accountId: 'acc_1', importId: 'imp_1', results }));
  }).listen(0, '127.0.0.1');
  await once(stub, 'listening');
  const url = `http://127.0.0.1:${stub.address().port}`;
  figures[`${keys} keys`] = await measured(['import', keyFile], { ...env, KEYWARD_URL: url });
  stub.close();
}
server.kill('SIGTERM');
await once(server, 'exit');
console.table(figures);
rmSync(given === undefined ? directory : dataDir, { recursive: true, force: true });
