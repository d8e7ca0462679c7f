import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS as CLI } from '../../src/cli/commands/index.ts';
import {
  type Block,
  blocks,
  COMMANDS,
  DATA,
  FOREIGN,
  PROGRAMS,
  place,
  ROOT,
  read,
  without,
} from './blocks.ts';

it('every block has a known language, and a note that says which test runs it, or why none does', () => {
  expect(blocks.length).toBeGreaterThan(100);
  const unknown = blocks.filter(
    ({ language }) => ![...COMMANDS, ...PROGRAMS, ...FOREIGN, ...DATA].includes(language),
  );
  expect(unknown.map(place)).toEqual([]);
  const wrong = blocks.filter(({ file, note }) => {
    const [, test] = /^run by (\S+\.test\.ts)$/.exec(note) ?? [];
    if (test === undefined) return note !== '' && !/^not run: \S.{5,}/.test(note);
    return !existsSync(join(ROOT, test)) || !read(test).includes(basename(file));
  });
  expect(wrong.map(place)).toEqual([]);
});

/** What fails if it is pasted into zsh, the shell of macOS: comments, and wildcards that match no file. */
const unpastable = (code: string): boolean =>
  /(^|\s)#|[*?[]/.test(code.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"/g, ''));

it('commands can be pasted into zsh', () => {
  const pasted = blocks.filter(({ language, code }) => language === 'sh' && !code.startsWith('#!'));
  expect(pasted.filter(({ code }) => unpastable(code)).map(place)).toEqual([]);
  const examples = CLI.flatMap((command) => command.examples);
  expect(examples.length).toBeGreaterThan(30);
  expect(examples.filter(unpastable)).toEqual([]);
});

it('commands use only variables that the page sets', () => {
  const pages = [...Map.groupBy(without(COMMANDS), ({ file }) => file)];
  const unset = pages.flatMap(([file, page]) => {
    const script = page.map(({ code }) => code).join('');
    const isSet = (name: string) =>
      name === 'KEYWARD_ACCESS_KEY' || new RegExp(`(^|\\s)${name}=`).test(script);
    const used = [...script.matchAll(/\$(\w+)/g)].map(([, name]) => name!);
    return used.filter((name) => !isSet(name)).map((name) => `${file}: $${name}`);
  });
  expect(unset).toEqual([]);
});

/** Throws if the text is not in the language of its block. */
const PARSERS: Record<string, (code: string, block: Block) => void> = {
  json(code) {
    // One document, or one on each line.
    for (const document of code.startsWith('{ ') ? code.trimEnd().split('\n') : [code])
      JSON.parse(document);
  },
  yaml: (code) => assert(typeof parse(code, { strict: true }) === 'object'),
  ini(code) {
    assert.match(code, /^\[\w+\]$/m);
    for (const line of code.split('\n')) assert.match(line, /^(#.*|\[\w+\]|\w+=.*)?$/);
  },
  csv(code) {
    const columns = code
      .trimEnd()
      .split('\n')
      .map((line) => line.replaceAll(/"(?:[^"]|"")*"/g, '').split(',').length);
    assert.equal(new Set(columns).size, 1);
  },
  http(code, { file }) {
    const [first = '', ...headers] = code.trimEnd().split('\n');
    const status = /^HTTP\/1\.1 (\d{3}) \w/.exec(first)?.[1];
    assert(read(file).includes(`"statusCode": ${status},`));
    for (const header of headers) assert.match(header, /^[\w-]+: \S/);
  },
};

it.each(Object.keys(PARSERS))('%s is valid', (language) => {
  expect(without([language]).length).toBeGreaterThan(0);
  const problems = without([language]).flatMap((block) => {
    try {
      PARSERS[language]!(block.code, block);
      return [];
    } catch (error) {
      return [`${place(block)}: ${error}`];
    }
  });
  expect(problems).toEqual([]);
});
