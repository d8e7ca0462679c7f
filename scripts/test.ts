import { requireNodeVersion } from './node-version.ts';
import { runVitest } from './run-vitest.ts';
import { runStaticChecks } from './static-checks.ts';
import { finish, sumOf } from './test-results.ts';
import { FIRST_TIER_PROJECTS } from './test-tiers.ts';

/** `npm test`: the static checks and the tests of the first tier; the last line is `N passed, N failed`. */
requireNodeVersion();

finish(sumOf([await runStaticChecks(), await runVitest(FIRST_TIER_PROJECTS)]));
