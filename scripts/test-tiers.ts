import { globSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The two tiers of tests, by folder. A folder in `server/test/system` is a group of
 * `npm run test:system`; every other test runs with `npm test`.
 */
const ROOT = join(import.meta.dirname, '..');
const SYSTEM = 'server/test/system';
const TEST = '*.test.{ts,tsx}';

/** The groups of `npm run test:system` that have a folder. */
export const GROUPS: readonly string[] = [
  ...new Set(
    globSync(`${SYSTEM}/*/**/${TEST}`, { cwd: ROOT }).map((path) => path.split('/')[3] ?? ''),
  ),
].toSorted();

/** The tests of the first tier that depend on the storage engine, a second time. */
export const SECOND_ENGINE = 'postgres';

export const FIRST_TIER = `{bench,dashboard,rules,scripts,sdk,server}/**/${TEST}`;
export const SECOND_TIER = `${SYSTEM}/**`;
export const testsOf = (group: string): string => `${SYSTEM}/${group}/**/${TEST}`;

/** Tests that replace the clock or the time zone of their process, or use all of its connections. */
export const OWN_PROCESS = `**/own-process/${TEST}`;
export const ownProcessOf = (group: string): string => `${SYSTEM}/${group}/${OWN_PROCESS}`;

/** Tests that use storage through the configured engine. */
export const ANY_ENGINE = `server/test/{e2e,model,races,signals,stores,webhooks}/**/${TEST}`;

/** Those of a group, which runs them on both engines. */
export const anyEngineOf = (group: string): string => `${SYSTEM}/${group}/any-engine/${TEST}`;

/** The names of the Vitest projects of the first tier, and of a group. */
export const FIRST_TIER_PROJECTS: readonly string[] = ['sqlite', 'sqlite, own process'];
export const projectsOf = (group: string): readonly string[] =>
  group === SECOND_ENGINE ? [group] : [group, `${group}, own process`, `${group}, postgres`];
