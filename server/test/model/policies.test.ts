import { it } from 'vitest';
import { MemoryCounters } from '../../src/cluster/counters/memory.ts';
import { checkPolicies } from './policies-check.ts';

it('decides as the model does, with counters in memory', () => checkPolicies(new MemoryCounters()));
