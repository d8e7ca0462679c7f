import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findOnPath } from '../../../../scripts/test-tools.ts';
import { ROOT } from '../../docs/blocks.ts';
import { startServer } from '../../harness/child.ts';
import { freePort } from '../../harness/free-port.ts';
import { startTestApp } from '../../harness/test-app.ts';

const FOLDER = join(ROOT, 'deploy/one-machine');
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'keyward-one-machine-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Service {
  readonly build?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
}

it('compose.yaml builds the Dockerfile, mounts the Caddyfile, and uses settings that exist', () => {
  const { services, volumes, networks } = parse(read('compose.yaml'));
  const { keyward, caddy } = services as Record<string, Service>;
  expect(existsSync(join(FOLDER, keyward!.build!, 'Dockerfile'))).toBe(true);
  const settings = readFileSync(join(ROOT, 'server/src/app/config.ts'), 'utf8');
  for (const name of Object.keys(keyward!.environment)) expect(settings).toContain(`'${name}'`);
  expect(keyward!.environment.KEYWARD_TRUSTED_PROXIES).toBe(networks.inside.ipam.config[0].subnet);
  const used = [...read('Caddyfile').matchAll(/\{\$(\w+)/g)].map(([, name]) => name);
  expect(Object.keys(caddy!.environment)).toEqual(used);
  for (const mount of [...keyward!.volumes, ...caddy!.volumes]) {
    const [source = ''] = mount.split(':');
    if (source.startsWith('./')) expect(existsSync(join(FOLDER, source)), source).toBe(true);
    else expect(volumes).toHaveProperty(source);
  }
});

it('Caddy with this Caddyfile serves Keyward over TLS, and does not pass on an address that the client invented', async () => {
  const test = await startTestApp({ realClock: true, trustedProxies: ['127.0.0.0/8', '::1/128'] });
  const port = await freePort();
  const options = `{\n\tskip_install_trust\n\tadmin off\n\thttp_port ${await freePort()}\n\thttps_port ${port}\n}\n`;
  const config = join(folder, 'Caddyfile');
  writeFileSync(config, options + read('Caddyfile'));
  const env = {
    KEYWARD_DOMAIN: 'localhost',
    KEYWARD_UPSTREAM: test.url.replace('http://', ''),
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  };
  const path = process.env.CADDY_PATH ?? findOnPath(['caddy'])!;
  const ready = /serving initial configuration()/;
  const caddy = await startServer(path, ['run', '--config', config], folder, env, ready);
  try {
    const ca = readFileSync(join(folder, 'caddy/pki/authorities/local/root.crt'));
    const headers = {
      'x-api-key': test.accessKey,
      'content-type': 'application/json',
      'x-forwarded-for': '203.0.113.9',
    };
    const created = await new Promise((resolve, reject) => {
      const options = { method: 'POST', path: '/api-keys', host: 'localhost', port, ca, headers };
      request(options, (response) => resolve(json(response)))
        .once('error', reject)
        .end('{"name":"Ada"}');
    });
    expect(created).toMatchObject({ name: 'Ada' });
    const [row] = (await test.client.get('/audit-logs?action=api-key.created&limit=1')).body;
    expect(['127.0.0.1', '::1']).toContain(row.clientAddress);
  } finally {
    await caddy.stop();
    await test.close();
  }
});
