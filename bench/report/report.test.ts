import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { estimate, leftOut, row } from '../rows.ts';
import { betweenMarkers } from './between-markers.ts';
import { curvesOf, detailsOf, summaryOf } from './markdown.ts';
import type { Report } from './report.ts';
import { raceOf } from './write-docs.ts';

const report: Report = {
  kind: 'full',
  takenAt: '2030-01-02T03:04:05.000Z',
  commit: 'abcdef0123',
  seconds: 840,
  machine: {
    cpu: 'A processor',
    cores: 2,
    memoryGb: 24,
    kernel: '6.1',
    node: 'v26.1.0',
    load: 'wrk',
    isPinned: true,
    loadAverage: 0.1,
  },
  sections: [
    {
      scenario: 'validation',
      seconds: 100,
      rows: [
        row('validation against bare node:http', '×', [0.8, 0.9, 1], { atLeast: 0.85 }),
        row('Keyward, one thread', 'req/s', [17_000, 18_000]),
        row('bare node:http', 'req/s', 20_000),
        row('Keyward, one thread: p99', 'ms', 5),
        leftOut('validation against nginx', 'not installed'),
      ],
    },
    {
      scenario: 'usage-tally',
      seconds: 40,
      rows: [estimate('tally | none', [0.9, 0.91, 0.92], { atLeast: 0.95 })],
    },
  ],
};

describe('the page of a run', () => {
  it('tells every bar, and which does not hold', () => {
    const page = detailsOf(report);
    expect(page).toContain('Commit abcdef0123, 2030-01-02, 14 minutes on A processor, 2 cores');
    expect(page).toContain('**1 of 2 bars do not hold.**');
    expect(page).toContain(
      '| validation against bare node:http | 0.9× | 0.8 – 1 | ≥ 0.85 | holds |',
    );
    expect(page).toContain('| tally \\| none | 0.91× | 0.9 – 0.92 (95 %) | ≥ 0.95 | **fails** |');
  });

  it('names what was left out', () => {
    expect(detailsOf(report)).toContain('| validation against nginx | – | | | not installed |');
  });

  it('is short in README', () => {
    const summary = summaryOf(report);
    expect(summary).toContain('| bare node:http | 20,000 req/s |');
    expect(summary).toContain('Commit abcdef0123');
    expect(summary).toContain('](docs/images/bench.svg)');
    expect(summary).not.toContain('p99');
    expect(summary).not.toContain('tally');
  });
});

describe('the page of the curves', () => {
  it('shows the picture of each with its figures', () => {
    const page = curvesOf(report);
    expect(page).toContain('![usage-tally](images/curve-usage-tally.svg)');
    expect(page).toContain('| Keyward, one thread | 17,500 req/s |');
  });
});

describe('the picture of a run', () => {
  it('shows who is faster first, and ours marked', () => {
    const svg = raceOf(report);
    const order = [...svg.matchAll(/<rect class="(\w+)"/g)].map(([, kind]) => kind);
    expect(order).toEqual(['theirs', 'ours']);
    expect(svg).toContain('commit abcdef0123');
  });
});

describe('the pages that a run writes into', () => {
  it('have a place for it', () => {
    const page = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    expect(betweenMarkers(page('README.md'), 'bench', summaryOf(report))).toContain('abcdef0123');
    const docs = betweenMarkers(page('docs/benchmarks.md'), 'bench', detailsOf(report));
    expect(betweenMarkers(docs, 'curves', curvesOf(report))).toContain('abcdef0123');
  });
});

describe('text between marks', () => {
  const page = 'before\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nafter\n';

  it('replaces what is there, and nothing else, as often as it is written', () => {
    const once = betweenMarkers(page, 'bench', 'new');
    expect(once).toBe('before\n<!-- bench:begin -->\n\nnew\n\n<!-- bench:end -->\nafter\n');
    expect(betweenMarkers(once, 'bench', 'new')).toBe(once);
  });

  it('is refused by a page without them', () => {
    expect(() => betweenMarkers('nothing', 'bench', 'new')).toThrow();
    expect(() => betweenMarkers(page, 'curves', 'new')).toThrow();
  });
});
