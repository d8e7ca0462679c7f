import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createErrorBody, ERRORS, type ErrorCode, KeywardError, reasonOf } from './errors.ts';

const PAGES = new URL('../../../docs/errors/', import.meta.url);
const errorBody = createErrorBody(() => 'https://keys.example.com');
const codes = Object.keys(ERRORS).sort() as ErrorCode[];
const read = (name: string): string => readFileSync(new URL(name, PAGES), 'utf8');

describe('the pages of the error catalogue', () => {
  it('exist exactly once for each code', () => {
    const pages = readdirSync(PAGES).filter((name) => name !== 'README.md');
    expect(pages.sort()).toEqual(codes.map((code) => `${code}.md`));
  });

  it.each(codes)('%s shows the actual status and body', (code) => {
    const page = read(`${code}.md`);
    const status = ERRORS[code][0];
    expect(page.split('\n')[0]).toBe(`# ${code}`);
    expect(page).toContain(`**Status:** ${status} ${reasonOf(status)}\n`);
    const example: unknown = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? 'null');
    // The page may show a more specific message than the catalogue.
    const message = expect.any(String) as unknown;
    const more: Partial<Record<string, object>> = {
      permission_denied: { missing: expect.any(Array) as unknown },
      credits_exhausted: { credits: expect.any(Object) as unknown },
    };
    expect(example).toEqual({ ...errorBody(code, 'req_01jz5n8w3e7x'), message, ...more[code] });
  });

  it('are all listed in the index, with their status', () => {
    const listed = [...read('README.md').matchAll(/^\| \[(\w+)\]\((\w+)\.md\) \| (\d+) \|/gm)];
    const expected = codes.map((code) => [code, code, String(ERRORS[code][0])]);
    expect(listed.map((match) => match.slice(1)).sort()).toEqual(expected);
  });
});

describe('an error', () => {
  it('gets its status and public text from its code', () => {
    const error = new KeywardError('key_not_found');
    expect(error).toMatchObject({ status: 404, message: 'Invalid client key', headers: [] });
  });

  it('has a reason phrase for every status in the catalogue', () => {
    for (const code of codes) expect(reasonOf(ERRORS[code][0])).not.toBe('Error');
  });

  it('has six fields in its body, and nothing of its cause', () => {
    const error = new KeywardError('internal_error', undefined, {
      cause: new Error('disk /dev/x'),
    });
    const body = errorBody(error.code, 'req_1', error.message);
    expect(Object.keys(body).sort()).toEqual([
      'code',
      'docs',
      'error',
      'message',
      'requestId',
      'statusCode',
    ]);
    expect(JSON.stringify(body)).not.toContain('disk');
  });
});
