import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { barChart } from '../svg/bar-chart.ts';
import { betweenMarkers } from './between-markers.ts';
import { detailsOf, summaryOf } from './markdown.ts';
import type { Report } from './report.ts';

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What README and docs/benchmarks.md show of a full run. */
export function writeDocs(report: Report): void {
  putBetween('README.md', 'bench', summaryOf(report));
  putBetween('docs/benchmarks.md', 'bench', detailsOf(report));
  writeImage('bench', raceOf(report));
}

export function putBetween(path: string, name: string, text: string): void {
  writeFileSync(at(path), betweenMarkers(readFileSync(at(path), 'utf8'), name, text));
}

export function writeImage(name: string, svg: string): void {
  mkdirSync(at('docs/images'), { recursive: true });
  writeFileSync(at(`docs/images/${name}.svg`), svg);
}

/** Requests a second of all who ran, ours marked. */
export function raceOf({ sections, commit, machine }: Report): string {
  const bars = sections
    .flatMap(({ rows }) => rows)
    .filter(({ unit, value }) => unit === 'req/s' && value !== null)
    .map(({ name, value, spread }) => ({
      label: name,
      value: value!,
      spread,
      isOurs: name.startsWith('Keyward'),
    }))
    .sort((a, b) => b.value - a.value);
  return barChart({
    title: 'Validations a second',
    subtitle: `commit ${commit}, ${machine.cpu}, ${machine.cores} cores, Node ${machine.node}; one core each unless it says otherwise`,
    bars,
  });
}
