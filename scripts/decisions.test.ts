import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './run-tool.ts';

const FOLDER = 'docs/decisions';
const SECTIONS = ['## Context', '## Decision', '## Consequences'];
const WORDS = 600;
/** Credits have more rules than any other part, and each prevents a loss of money. */
const CREDITS = '0059-limits-and-credits.md';
const WORDS_OF_CREDITS = 900;
const STATUS = /^\*\*Status:\*\* (accepted|superseded by \[[^\]]+\]\(\d{4}-[\w-]+\.md\))\. ?/;

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const pages = readdirSync(join(ROOT, FOLDER))
  .filter((name) => name !== 'README.md')
  .sort();

/** `- 15: [11](0011-audit-chain.md)` in the index: numbers whose page was merged into another one. */
const merged = [...read(`${FOLDER}/README.md`).matchAll(/^- ([\d, ]+): /gm)].flatMap(
  ([, list = '']) => list.split(', ').map(Number),
);

it('every number from 1 is that of one page, or merged', () => {
  const numbers = [...pages.map((name) => Number(name.slice(0, 4))), ...merged].sort(
    (a, b) => a - b,
  );
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

describe.each(pages)('decision %s', (name) => {
  const text = read(`${FOLDER}/${name}`);
  const [title = '', , status = ''] = text.split('\n');

  it('has a numbered title, a status and the sections in order', () => {
    expect(title).toMatch(new RegExp(`^# ${Number(name.slice(0, 4))}\\. \\S`));
    expect(status).toMatch(STATUS);
    expect([SECTIONS, [...SECTIONS, '## Figures']]).toContainEqual(text.match(/^## .*/gm));
  });

  it('is short: how the code works is described in the code', () => {
    const words = text.match(/\S*[\p{L}\p{N}]\S*/gu) ?? [];
    expect(words.length).toBeLessThanOrEqual(name === CREDITS ? WORDS_OF_CREDITS : WORDS);
  });

  it('is in the index with its number and title', () => {
    const number = Number(name.slice(0, 4));
    const row = `| ${number} | [${title.slice(`# ${number}. `.length)}](${name}) |`;
    const rows = read(`${FOLDER}/README.md`).split('\n');
    expect(rows.filter((line) => line.startsWith(row))).toHaveLength(1);
  });
});

/** `decisions/0012`, `decisions/0012-usage-buckets.md`; inside the folder also `(0012-usage-buckets.md)`. */
const REFERENCE = /decisions\/(\d{4}[\w-]*(?:\.md)?)/g;
const NEIGHBOUR = /\]\((\d{4}-[\w-]+\.md)/g;
/** A link whose text names a number: `[Decision 22](…)`, `[decisions/0037](…)`, `[0042](…)`. */
const NUMBERED = /\[(?:[Dd]ecisions?[ /])?(\d{1,4})\]\([^)]*?(\d{4})-[\w-]+\.md/g;

const sources = globSync(
  [
    '*.{md,yaml,mjs,ts}',
    '{.github,bench,dashboard,deploy,docs,examples,scripts,sdk,server}/**/*.{md,ts,tsx,js,mjs,css,html,yaml,yml,cfg,service}',
  ],
  { cwd: ROOT, exclude: ['**/node_modules', '**/dist', '**/data', 'scripts/decisions.test.ts'] },
);

it('every reference to a decision leads to a page', () => {
  const isPage = (reference: string) =>
    /^\d{4}$/.test(reference)
      ? pages.some((name) => name.startsWith(`${reference}-`))
      : pages.includes(reference.endsWith('.md') ? reference : `${reference}.md`);
  const broken = sources.flatMap((path) => {
    const text = read(path);
    const references = [
      ...text.matchAll(REFERENCE),
      ...(path.startsWith(`${FOLDER}/`) ? text.matchAll(NEIGHBOUR) : []),
    ].map(([, reference = '']) => reference);
    const misnumbered = [...text.matchAll(NUMBERED)]
      .filter(([, shown, target]) => Number(shown) !== Number(target))
      .map(([link]) => link);
    return [...references.filter((reference) => !isPage(reference)), ...misnumbered].map(
      (reference) => `${path}: ${reference}`,
    );
  });
  expect(broken).toEqual([]);
});

/** A file or folder in backticks: `http/responses/listing.ts`, `kernel/errors.ts`, `http/hot-path/`. */
const PATH = /`([\w.-]+(?:\/[\w.-]+)*(?:\/|\.(?:cfg|css|html|js|json|lua|md|mjs|tsx?|ya?ml)))`/g;

it('every path that a page names exists', () => {
  const exclude = ['**/node_modules', '**/dist', '**/data', '.git'];
  const paths = globSync(['**', '.*', '.github/**', 'docs/.vitepress/*'], {
    cwd: ROOT,
    exclude,
  }).map((path) => `/${path}`);
  const exists = (path: string) => paths.some((each) => each.endsWith(`/${path}`));
  const named = [
    'CONTRIBUTING.md',
    'docs/ARCHITECTURE.md',
    ...pages.map((name) => `${FOLDER}/${name}`),
  ];
  const missing = named.flatMap((page) =>
    [...read(page).matchAll(PATH)]
      .map(([, path = '']) => path)
      .filter((path) => !path.startsWith('dist/') && !exists(path.replace(/\/$/, '')))
      .map((path) => `${page}: ${path}`),
  );
  expect(missing).toEqual([]);
});
