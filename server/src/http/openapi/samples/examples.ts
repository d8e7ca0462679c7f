import type { Route } from '../../../kernel/route.ts';
import type { Json } from '../components.ts';
import recorded from './recorded.json' with { type: 'json' };
import { partsOf } from './request.ts';

/** Of the samples, as the test of them recorded it. */
const responses: Readonly<Record<string, unknown>> = recorded.responses;

/** What variables stand for in examples of bodies. */
const values: Readonly<Record<string, string>> = {
  ...recorded.values,
  KEYWARD_EMAIL: 'ada@example.com',
  KEYWARD_PASSWORD: 'a long password of Ada',
  TOKEN: 'the token in the link',
  NEW_PASSWORD: 'another long password',
};

export const bodyExample = ({ example }: Route): Json =>
  example?.body === undefined ? {} : { example: filled(example.body) };

export function responseExample({ operationId, example }: Route): Json {
  const response = example?.response ?? responses[operationId];
  return response === undefined ? {} : { example: response };
}

function filled(value: unknown): unknown {
  if (typeof value === 'string')
    return partsOf(value)
      .map((part, place) => (place % 2 === 1 ? (values[part] ?? '…') : part))
      .join('');
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(filled);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filled(item)]));
}
