/** One turn of the loop of a page's main thread. */
export interface MainThreadTask {
  /** Of the processor: what the page itself costs, however busy the machine is. */
  readonly cpuMs: number;
  readonly wallMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The one that tells of whole tasks. */
export const TRACED = ['disabled-by-default-devtools.timeline'];

/** What the main threads of all pages did while the browser was traced. */
export function mainThreadTasks(trace: Buffer): MainThreadTask[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  );
  return traceEvents
    .filter((event) => event.name === 'RunTask' && mains.has(threadOf(event)))
    .map(({ dur = 0, tdur = dur }) => ({ cpuMs: tdur / 1_000, wallMs: dur / 1_000 }));
}

export const longest = (tasks: readonly MainThreadTask[], by: keyof MainThreadTask): number =>
  tasks.reduce((most, task) => Math.max(most, task[by]), 0);
