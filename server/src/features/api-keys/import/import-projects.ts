import type { Actor } from '../../../kernel/actor.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import type { ProjectCache, ProjectRow } from '../../projects/index.ts';
import { projectFor } from '../project-for.ts';

/** Looks up each project once per batch, however many rows refer to it. */
export class ImportProjects {
  readonly #projects: ProjectCache;
  readonly #actor: Actor;
  readonly #fallback: string | undefined;
  readonly #found = new Map<string | undefined, ProjectRow | KeywardError>();

  constructor(projects: ProjectCache, actor: Actor, fallback: string | undefined) {
    this.#projects = projects;
    this.#actor = actor;
    this.#fallback = fallback;
  }

  cached(projectId: string | undefined): ProjectRow | undefined {
    const found = this.#found.get(projectId ?? this.#fallback);
    if (found instanceof KeywardError) throw found;
    return found;
  }

  async find(projectId: string | undefined): Promise<ProjectRow> {
    const id = projectId ?? this.#fallback;
    try {
      const project = await projectFor(this.#projects, this.#actor.principal, id);
      this.#found.set(id, project);
      return project;
    } catch (error) {
      if (error instanceof KeywardError) this.#found.set(id, error);
      throw error;
    }
  }
}
