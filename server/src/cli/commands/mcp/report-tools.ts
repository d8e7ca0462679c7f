import { type Explanation, KeywardError } from 'keyward';
import { z } from 'zod';
import type { Api } from '../../api.ts';
import { cursorInput, keyInput, limitInput, listPage, projectInput } from './key-tools.ts';
import type { ToolSet } from './tool-set.ts';

const RECENT_REFUSALS = 10;

export function addReportTools(tools: ToolSet, api: Api): void {
  tools.add({
    name: 'list_projects',
    title: 'List projects',
    description: 'Lists projects. Every key belongs to one.',
    effect: 'reads',
    input: { limit: limitInput, cursor: cursorInput },
    run: (input) => listPage(api, 'listProjects', input),
  });

  tools.add({
    name: 'explain_refusal',
    title: 'Explain why an API key is refused',
    description:
      'Runs the checks of a validation on a key, up to the first that fails, without counting a use. Also returns the latest refused requests of the key. Pass what the refused request had: permissions, address, origin and cost.',
    effect: 'reads',
    input: {
      key: keyInput,
      permissions: z.array(z.string()).optional().describe('Permissions that the request needed'),
      clientIP: z.string().optional().describe('Address that the request came from'),
      originDomain: z.string().optional().describe('Host that the request came from'),
      cost: z.int().min(0).optional().describe('Cost of the request, for limits and credits'),
    },
    async run({ key, ...body }) {
      const explanation = await api.call<Explanation>('explainApiKey', { path: { key }, body });
      const { valid, code } = explanation;
      return {
        summary: valid
          ? 'The key would be accepted now.'
          : `The key would be refused now: ${code}.`,
        data: { ...explanation, recentRefusals: await recentRefusals(api, key) },
      };
    },
  });

  tools.add({
    name: 'read_usage',
    title: 'Read usage',
    description:
      'Counts validations in a time range, by group and interval. Without a time range: the last hour, day, 30 days, 12 weeks or 12 months, depending on the interval.',
    effect: 'reads',
    input: {
      groupBy: z
        .enum(['key', 'customAccountId', 'customUserId', 'outcome', 'accessKey', 'plan'])
        .default('key'),
      interval: z.enum(['minute', 'hour', 'day', 'week', 'month']).default('day'),
      from: z.string().optional().describe('2030-01-01T00:00:00Z'),
      to: z.string().optional().describe('Exclusive. Default: now'),
      projectId: projectInput,
      key: keyInput.optional(),
      customAccountId: z.string().optional().describe('Your id of the customer'),
      planId: z.string().optional().describe('The id of the plan (pln_…)'),
      limit: limitInput,
      cursor: cursorInput,
    },
    run: (input) => listPage(api, 'getUsage', input),
  });
}

/** Needs the scope analytics:read, without which the explanation is still useful. */
async function recentRefusals(api: Api, key: string): Promise<unknown> {
  try {
    const { data } = await listPage(api, 'listRefusals', { key, limit: RECENT_REFUSALS });
    return data.rows;
  } catch (error) {
    if (error instanceof KeywardError && error.code === 'scope_missing') return error.message;
    throw error;
  }
}
