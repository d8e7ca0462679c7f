import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that use browsers or start servers as processes. */
const LONG = /^server\/test\/(cli|edge|lifecycle|system)\//;

/**
 * Runs files with a process of their own first, then `postgres`, other long files, and the rest. So
 * the run does not end with one worker on a long file, and files of a project reuse a process that has loaded
 * the server.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ project, moduleId }: TestSpecification): number {
  if (project.config.isolate) return 0;
  if (project.name === 'postgres') return 1;
  return LONG.test(relative(project.config.root, moduleId)) ? 2 : 3;
}
