import type { Profile } from './profile.ts';

/** A function among those that called it, with the time spent in it and in what it called. */
export interface Flame {
  readonly name: string;
  readonly time: number;
  readonly called: readonly Flame[];
}

interface Growing {
  time: number;
  readonly called: Map<string, Growing>;
}

const QUIET = new Set(['(idle)', '(root)']);

/** The calls of a profile as one tree; what the same function was called from is told apart. */
export function flameOf(profile: Profile): Flame {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const callerOf = new Map<number, number>();
  for (const { id, children = [] } of profile.nodes)
    for (const child of children) callerOf.set(child, id);
  const root: Growing = { time: 0, called: new Map() };
  profile.samples.forEach((id, index) => {
    const path: string[] = [];
    for (let at: number | undefined = id; at !== undefined; at = callerOf.get(at))
      path.unshift(byId.get(at)?.callFrame.functionName || '(anonymous)');
    if (path.includes('(idle)')) return;
    grow(
      root,
      path.filter((name) => !QUIET.has(name)),
      profile.timeDeltas[index] ?? 0,
    );
  });
  return settled('all', root);
}

function grow(root: Growing, path: readonly string[], time: number): void {
  let at = root;
  at.time += time;
  for (const name of path) {
    let next = at.called.get(name);
    if (next === undefined) {
      next = { time: 0, called: new Map() };
      at.called.set(name, next);
    }
    next.time += time;
    at = next;
  }
}

const settled = (name: string, { time, called }: Growing): Flame => ({
  name,
  time,
  called: [...called]
    .map(([each, growing]) => settled(each, growing))
    .sort((a, b) => b.time - a.time),
});
