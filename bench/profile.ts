import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes Node write a CPU profile when the server stops. */
export const profileFlags = (folder: string | null): string[] =>
  folder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface SelfTime {
  readonly place: string;
  /** Of the time in which the process was not idle. */
  readonly share: number;
}

/** Where the time went, by function, without what it called. */
export function selfTimes(profile: Profile): SelfTime[] {
  const places = new Map(profile.nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const times = new Map<string, number>();
  let busy = 0;
  profile.samples.forEach((id, index) => {
    const place = places.get(id) ?? '(unknown)';
    if (place === '(idle)') return;
    const time = profile.timeDeltas[index] ?? 0;
    busy += time;
    times.set(place, (times.get(place) ?? 0) + time);
  });
  return [...times]
    .map(([place, time]) => ({ place, share: time / busy }))
    .sort((a, b) => b.share - a.share);
}

function placeOf({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  const name = functionName || '(anonymous)';
  if (url === '') return name;
  return `${name} ${url.replace(/^.*\/(server|node_modules)\//, '$1/')}:${lineNumber + 1}`;
}

const SHOWN = 25;

/** The busiest thread of a profiled run: that of the requests. Each thread has a file of its own. */
export function profileReport(folder: string): string {
  const profiles = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profile);
  const busiest = profiles.sort((a, b) => samplesAtWork(b) - samplesAtWork(a))[0];
  if (!busiest) return 'The server wrote no profile.';
  return selfTimes(busiest)
    .slice(0, SHOWN)
    .map(({ place, share }) => `${(share * 100).toFixed(1).padStart(5)} %  ${place}`)
    .join('\n');
}

function samplesAtWork(profile: Profile): number {
  const idle = new Set(
    profile.nodes
      .filter(({ callFrame }) => callFrame.functionName === '(idle)')
      .map(({ id }) => id),
  );
  return profile.samples.filter((id) => !idle.has(id)).length;
}
