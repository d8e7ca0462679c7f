import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DOCS_CONTENT_SECURITY_POLICY, readDocsFiles } from './files.ts';

const files = readDocsFiles();
const paths = files.map(({ path }) => path);
const text = (path: string): string => String(files.find((file) => file.path === path)?.body);

it('serves every file of the page, and nothing else of the folder', () => {
  const parts = readdirSync(new URL('.', import.meta.url)).filter(
    (name) => !/\.test\.|\.ts$/.test(name),
  );
  const served = paths.map((path) =>
    path === '/docs' ? 'index.html' : path.slice('/docs/'.length),
  );
  expect(served.sort()).toEqual(parts.sort());
});

it('refers only to files that are served', () => {
  const referred = [...text('/docs').matchAll(/(?:src|href)="(\/docs[^"]*)"/g)].map(
    ([, to]) => to!,
  );
  for (const { path, body } of files) {
    for (const [, name] of String(body).matchAll(/^import .* from '\.\/(.+)';$/gm)) {
      referred.push(`/docs/${name}`);
      expect(path).toMatch(/\.js$/);
    }
  }
  expect(referred.length).toBeGreaterThan(8);
  expect(referred.filter((to) => !paths.includes(to))).toEqual([]);
});

it('keeps to its policy: nothing inline, nothing from elsewhere, nothing remembered', () => {
  expect(text('/docs')).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/);
  for (const { path, body } of files) {
    const outside = String(body)
      .replaceAll('http://www.w3.org/2000/svg', '')
      .replaceAll('https://example.com/hook', '')
      .match(/https?:\/\/[a-z]|@import|url\(/);
    expect([path, outside]).toEqual([path, null]);
    expect(String(body)).not.toMatch(
      /innerHTML|insertAdjacentHTML|localStorage|sessionStorage|\beval\b/,
    );
  }
  expect(DOCS_CONTENT_SECURITY_POLICY).toContain("default-src 'none'");
  expect(DOCS_CONTENT_SECURITY_POLICY).not.toContain('unsafe');
});

it('gives each file its type', () => {
  const types = new Map(files.map(({ path, contentType }) => [path, contentType]));
  expect(types.get('/docs')).toBe('text/html; charset=utf-8');
  expect(types.get('/docs/docs.css')).toBe('text/css; charset=utf-8');
  expect(types.get('/docs/docs.js')).toBe('text/javascript; charset=utf-8');
});
