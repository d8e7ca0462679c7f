import type { ChangeFeed } from '../../cluster/change-bus/change-bus.ts';

/** Whether a project is active; shared by all cached keys of the project. */
export interface ProjectState {
  readonly id: string;
  readonly isActive: boolean;
  /** Set when the project has changed: entries that refer to this state must be read again. */
  stale: boolean;
}

/**
 * Deactivating a project takes effect immediately, even if 100,000 of its keys are cached: they all refer to
 * one state, so marking it costs the same for one key and for all of them.
 */
export class ProjectStates {
  readonly #states = new Map<string, ProjectState>();

  /** Create this before the caches: states must be marked before anything is read again. */
  constructor(bus: ChangeFeed) {
    bus.subscribe((changes) => {
      for (const change of changes)
        if (change.kind === 'project') this.#changed(change.id);
        else if (change.kind === 'everything')
          for (const id of this.#states.keys()) this.#changed(id);
    });
  }

  of(id: string, isActive: boolean): ProjectState {
    const state = this.#states.get(id);
    if (state === undefined) {
      const state: ProjectState = { id, isActive, stale: false };
      this.#states.set(id, state);
      return state;
    }
    if (state.isActive === isActive) return state;
    // Row and state were read on different sides of a change, and it is unknown which is older. Keep
    // neither: use the row once, and read again next time. Keeping a wrong state would prevent every
    // later row from being cached.
    this.#changed(id);
    return { id, isActive, stale: true };
  }

  #changed(id: string): void {
    const state = this.#states.get(id);
    if (state !== undefined) state.stale = true;
    this.#states.delete(id);
  }
}
