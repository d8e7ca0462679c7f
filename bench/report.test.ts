import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  formatReport,
  isMet,
  notMeasured,
  type Report,
  replaceBetweenMarkers,
  row,
} from './report.ts';

const report: Report = {
  commit: 'abcdef0123',
  date: '2030-01-02',
  machine: 'A processor, 2 cores',
  seconds: 450,
  sections: [
    {
      scenario: 'validation',
      seconds: 60,
      rows: [
        row('CPU compared with bare node:http', '×', [0.8, 1.234, 2], { atLeast: 1 }),
        row('Keyward', 'requests/s', 18_000),
        notMeasured('nginx', 'not installed'),
      ],
    },
    {
      scenario: 'memory',
      seconds: 10,
      rows: [row('per key', 'KB', 2, { atMost: 1.5 }), notMeasured('a | b', 'broke\ntwice', {})],
    },
  ],
};

describe('benchmark targets', () => {
  it('are met on the right side of the limit', () => {
    expect(isMet(row('a', '', 1, { atLeast: 1 }))).toBe(true);
    expect(isMet(row('a', '', 0.99, { atLeast: 1 }))).toBe(false);
    expect(isMet(row('a', '', 1.01, { atMost: 1 }))).toBe(false);
  });

  it('are missed if nothing was measured', () => {
    expect(isMet(notMeasured('a', 'failed', {}))).toBe(false);
    expect(isMet(notMeasured('a', 'not installed'))).toBe(true);
  });
});

describe('benchmark report', () => {
  it('lists every target and says which are missed', () => {
    const page = formatReport(report);
    expect(page).toContain('Commit abcdef0123, 2030-01-02, 7.5 minutes on A processor, 2 cores.');
    expect(page).toContain('**2 of 3 missed.**');
    expect(page).toContain('| CPU compared with bare node:http | 1.23× | 0.8 – 2 | ≥ 1 | met |');
    expect(page).toContain('| per key | 2 KB |  | ≤ 1.5 | **missed** |');
    expect(page).toContain('| a \\| b | – |  | no failure | **missed**: broke twice |');
    expect(page).toContain('| nginx | – |  |  | not installed |');
  });

  it('replaces the text between the markers of docs/benchmarks.md', () => {
    const page = readFileSync(new URL('../docs/benchmarks.md', import.meta.url), 'utf8');
    const once = replaceBetweenMarkers(page, 'new text');
    expect(once).toContain('<!-- bench:begin -->\n\nnew text\n\n<!-- bench:end -->');
    expect(replaceBetweenMarkers(once, 'new text')).toBe(once);
    expect(() => replaceBetweenMarkers('no markers', 'new text')).toThrow('no benchmark markers');
  });
});
