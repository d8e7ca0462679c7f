import { WindowSegment } from './memory-segment.ts';
import { SEGMENTS, SegmentedCounters } from './segmented-counters.ts';
import { LocalWindowClock } from './window-clock.ts';

/** Exact windows in the memory of this process, seen by one thread. */
export class MemoryCounters extends SegmentedCounters {
  constructor() {
    const segments = Array.from({ length: SEGMENTS }, () => new WindowSegment());
    const segment = (n: number) => segments[n]!;
    super({ clock: new LocalWindowClock(), enter: segment, leave() {}, glance: segment });
  }
}
