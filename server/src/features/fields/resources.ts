import { RESOURCE_LENGTH_MAX } from '@keyward/rules/request-resource.ts';
import { isUsageResource, USAGE_RESOURCES_MAX } from '@keyward/rules/usage-resources.ts';
import Type from 'typebox';
import { listText } from '../policies/index.ts';

export const Resources = (help: string) =>
  Type.Array(
    Type.String({ minLength: 1, maxLength: RESOURCE_LENGTH_MAX, examples: ['POST:/v1/chat*'] }),
    { maxItems: USAGE_RESOURCES_MAX, description: help },
  );

export const resourcesText = (
  field: string,
  resources: readonly string[] | null | undefined,
): string | null =>
  listText(
    field,
    resources,
    isUsageResource,
    'a pattern of resources; use letters, digits and . _ : / -, with * only at the end, and not the word other',
  );
