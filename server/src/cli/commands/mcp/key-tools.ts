import type { ApiKey } from 'keyward';
import { z } from 'zod';
import type { Api } from '../../api.ts';
import type { NewValues } from './new-values.ts';
import type { ToolSet } from './tool-set.ts';

export const keyInput = z
  .string()
  .min(1)
  .describe('The id of the key (key_…). A value is accepted too.');
export const projectInput = z.string().optional().describe('The id of the project (prj_…)');
export const limitInput = z.int().min(1).max(1000).default(50).describe('Number of rows');
export const cursorInput = z
  .string()
  .optional()
  .describe('nextCursor of the previous result, for the rows after it');

const time = (text: string) => z.string().optional().describe(`${text}: 2030-01-01T12:00:00Z`);

/** `"Ada" (key_…)`: a change always names what it changed. */
const label = ({ name, id }: ApiKey): string => `${JSON.stringify(name)} (${id})`;

export async function listPage(
  api: Api,
  operation: Parameters<Api['pages']>[0],
  { limit, ...query }: { readonly limit: number; readonly [name: string]: unknown },
) {
  for await (const { rows, next } of api.pages(operation, { query: query as never }, limit))
    return { data: { rows, nextCursor: next } };
  return { data: { rows: [], nextCursor: null } };
}

export function addKeyTools(tools: ToolSet, api: Api, newValues: NewValues): void {
  tools.add({
    name: 'list_keys',
    title: 'List API keys',
    description: 'Lists API keys, newest first, with their values masked. Filters are combined.',
    effect: 'reads',
    input: {
      projectId: projectInput,
      search: z
        .string()
        .optional()
        .describe(
          'Part of a name, customAccountId or customUserId; the beginning of a value; or a whole id',
        ),
      customAccountId: z.string().optional().describe('Your id of the customer'),
      customUserId: z.string().optional().describe('Your id of the user'),
      tag: z.array(z.string()).optional().describe('Tags that the key must have'),
      isActive: z.boolean().optional().describe('false: only revoked keys'),
      limit: limitInput,
      cursor: cursorInput,
    },
    run: (input) => listPage(api, 'listApiKeys', input),
  });

  tools.add({
    name: 'create_key',
    title: 'Create an API key',
    description: 'Creates an API key. Fields that are left out come from its plan and project.',
    effect: 'adds',
    input: {
      name: z.string().min(1).describe('Display name'),
      projectId: projectInput,
      expiry: time('The key is refused from this time on'),
      startsAt: time('The key is refused before this time'),
      rateLimitConfigs: z
        .object({ rateLimit: z.int().min(1), rateLimitTtl: z.int().min(1) })
        .optional()
        .describe('rateLimit requests in rateLimitTtl seconds'),
      planId: z.string().optional().describe('The id of the plan (pln_…)'),
      permissions: z.array(z.string()).optional().describe('What the key may do: documents.read'),
      allowedDomains: z.array(z.string()).optional().describe('Hosts it may be used from'),
      allowedIPs: z.array(z.string()).optional().describe('Addresses and CIDRs it may come from'),
      tags: z.array(z.string()).optional().describe('Labels to filter by'),
      customAccountId: z.string().optional().describe('Your id of the customer'),
      customUserId: z.string().optional().describe('Your id of the user'),
      customMetaData: z.record(z.string(), z.unknown()).optional(),
    },
    async run(body) {
      const { key, note } = await newValues.keep(() => api.call('createApiKey', { body }));
      return { summary: `Created ${label(key)}. ${note}`, data: key };
    },
  });

  tools.add({
    name: 'rotate_key',
    title: 'Rotate an API key',
    description:
      'Replaces a key with a new one that has the same settings and a new value. The old value stops working at once, or after graceSeconds.',
    effect: 'destroys',
    input: {
      key: keyInput,
      graceSeconds: z
        .int()
        .min(0)
        .default(0)
        .describe('How long the old value stays valid, at most 30 days'),
    },
    async run({ key: old, graceSeconds }) {
      const { key, note } = await newValues.keep(() =>
        api.call('rotateApiKey', { path: { key: old }, body: { graceSeconds } }),
      );
      const end = graceSeconds === 0 ? 'is refused from now on' : `is valid for ${graceSeconds} s`;
      const summary = `Rotated: ${label(key)} replaces ${key.rotatedFrom}, whose value ${end}. ${note}`;
      return { summary, data: key };
    },
  });

  tools.add({
    name: 'revoke_key',
    title: 'Revoke an API key',
    description: 'Revokes a key: it is refused from now on. It can be reactivated later.',
    effect: 'destroys',
    input: { key: keyInput },
    async run({ key }) {
      const path = { key };
      const found = await api.call<ApiKey>('getApiKey', { path });
      await api.call('deleteApiKey', { path: { key: found.id } });
      return {
        summary: `Revoked ${label(found)}. It is refused from now on.`,
        data: await api.call('getApiKey', { path: { key: found.id } }),
      };
    },
  });
}
