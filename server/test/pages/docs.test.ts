import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT, siteLink } from '../../../docs/.vitepress/site-paths.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

/** The documentation as the server serves it. */
let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const statusOf = async (path: string): Promise<number> =>
  (await fetch(test.url + path, { method: 'HEAD' })).status;

/** The paths of them that the server does not serve. */
async function missing(paths: Iterable<string>): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const status = await statusOf(path);
    if (status !== 200) found.push(`${path}: ${status}`);
  }
  return found;
}

it('every link on a page leads to something that the server has', async () => {
  const site = join(ROOT, 'docs/dist');
  const links = globSync('**/*.html', { cwd: site }).flatMap((page) => {
    const html = readFileSync(join(site, page), 'utf8');
    return [...html.matchAll(/<(?:a|img)\b[^>]*? (?:href|src)="(\/[^"#]*)/g)].map(
      ([, link]) => link!,
    );
  });
  const paths = new Set(links);
  expect(paths.size).toBeGreaterThan(200);
  expect(await missing(paths)).toEqual([]);
});

it('has everything that the README links to', async () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const linked = [...readme.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link]) => link!);
  expect(linked.length).toBeGreaterThan(10);
  expect(linked.filter((link) => siteLink(link) === null)).toEqual([]);
  expect(await missing(linked.map((link) => `/docs${siteLink(link)}`))).toEqual([]);
});

it('has the clients, the examples, the recipes for gateways, and texts for language models', async () => {
  const paths = ['sdk/', 'clients/', 'clients/go', 'examples/express', 'SECURITY', 'llms.txt'];
  paths.push('files/docs/gateways/nginx.conf.txt', 'files/deploy/monitoring.txt');
  expect(await missing(paths.map((path) => `/docs/${path}`))).toEqual([]);
  const all = await (await fetch(`${test.url}/docs/llms-full.txt`)).text();
  for (const text of ['# Protect your API in five minutes', '# rate_limited', '# Permissions'])
    expect(all).toContain(text);
});
