import type { ChangeFeed } from '../../cluster/change-bus/change-bus.ts';

/** Whether a project is active, shared by everything in memory that was prepared from it. */
export interface ProjectState {
  readonly id: string;
  readonly isActive: boolean;
  /** Set when the project changed: whoever points here must be read again. */
  stale: boolean;
}

/**
 * Deleting a project must be in force at once for keys of which 100,000 may be in memory. They all
 * point at one state, so that marking it costs the same for one key and for all of them.
 */
export class ProjectStates {
  readonly #states = new Map<string, ProjectState>();

  /** To be made before all others that listen: what is marked here must be marked before anything is read again. */
  constructor(news: ChangeFeed) {
    news.subscribe((changes) => {
      for (const change of changes)
        if (change.kind === 'project') this.#changed(change.id);
        else if (change.kind === 'everything')
          for (const id of this.#states.keys()) this.#changed(id);
    });
  }

  of(id: string, isActive: boolean): ProjectState {
    const held = this.#states.get(id);
    if (held === undefined) {
      const state: ProjectState = { id, isActive, stale: false };
      this.#states.set(id, state);
      return state;
    }
    if (held.isActive === isActive) return held;
    // Row and state were read on different sides of a change, and nothing here says which of them
    // is the older. Neither is kept: this row is good for its one answer, and the next one read
    // begins anew. Keeping the state would shut every later row out of memory if it is the wrong one.
    this.#changed(id);
    return { id, isActive, stale: true };
  }

  #changed(id: string): void {
    const state = this.#states.get(id);
    if (state !== undefined) state.stale = true;
    this.#states.delete(id);
  }
}
