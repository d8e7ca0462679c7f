import { type Explanation, KeywardError } from 'keyward';
import Type from 'typebox';
import { UsageQuery } from '../../../features/analytics/schema.ts';
import { ListProjects } from '../../../features/projects/schema.ts';
import { explainFields } from '../../../features/validation/wire/request-schema.ts';
import { strict } from '../../../kernel/schemas.ts';
import type { Api } from '../../api.ts';
import { keyInput, listPage, pageInput, withoutPage } from './tool-inputs.ts';
import type { ToolSet } from './tool-set.ts';

const RECENT_REFUSALS = 10;

export function addReportTools(tools: ToolSet, api: Api): void {
  tools.add({
    name: 'list_projects',
    title: 'List projects',
    description: 'Lists projects. Every key belongs to one.',
    effect: 'reads',
    input: strict({ ...withoutPage(ListProjects.properties), ...pageInput }),
    run: (input) => listPage(api, 'listProjects', input),
  });

  tools.add({
    name: 'explain_refusal',
    title: 'Explain why an API key is refused',
    description:
      'Runs the checks of a validation on a key, up to the first that fails, without counting a use. Also returns the latest refused requests of the key. Pass what the refused request had: permissions, address, origin, cost and resource.',
    effect: 'reads',
    input: strict({ key: keyInput, ...explainFields.described }),
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
      'Counts validations in a time range, by group and interval: by key and day if not given. Without a time range: the last hour, day, 30 days, 12 weeks or 12 months, depending on the interval.',
    effect: 'reads',
    input: strict({
      ...withoutPage(UsageQuery.properties),
      groupBy: Type.Optional(UsageQuery.properties.groupBy),
      interval: Type.Optional(UsageQuery.properties.interval),
      ...pageInput,
    }),
    run: (input) => listPage(api, 'getUsage', { groupBy: 'key', interval: 'day', ...input }),
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
