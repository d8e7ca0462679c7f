/** A CPU profile as V8 tells it. */
export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly children?: readonly number[];
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

const SHOWN = 30;

export const profileReport = (profile: Profile): string =>
  selfTimes(profile)
    .slice(0, SHOWN)
    .map(({ place, share }) => `${(share * 100).toFixed(1).padStart(5)} %  ${place}`)
    .join('\n');
