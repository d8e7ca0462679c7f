import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Browsers, and servers in processes of their own. */
const LONG = /^(server\/test\/(dashboard|cluster|lifecycle|move|deploy)|sdk\/test\/packed)\//;

/**
 * Files that take long before those that take a moment, or the last one is waited for alone. Files
 * of a project stay together, so that the next one finds a process that has loaded the service.
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
