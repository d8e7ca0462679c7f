import { ID_PREFIXES } from '../../../src/kernel/ids.ts';
import type { Route } from '../../../src/kernel/route.ts';
import { NOON, type Reader } from './reader.ts';

const ADDRESS = 'https://keys.example.com';
const ANY_ID = new RegExp(`\\b(${ID_PREFIXES.join('|')})_[0-9a-z]{26}\\b`, 'g');
const SHOWN_NOON = Date.UTC(2030, 0, 1, 12);

/**
 * The responses of the samples and the values that they keep, as text of JSON. What differs from run to run is
 * replaced: ids, key values, times and the address.
 */
export function recording(
  routes: readonly Route[],
  responses: ReadonlyMap<string, string>,
  { test }: Reader,
): string {
  const stable = stabilizer(test.url);
  const recorded = routes
    .filter(({ example }) => example?.response === undefined)
    .map(({ operationId }) => {
      const body = stable(responses.get(operationId)!);
      return [operationId, shortened(JSON.parse(body))] as const;
    });
  const values = routes.flatMap(({ operationId, example }) => {
    if (!example?.keeps) return [];
    const [variable, field] = example.keeps;
    const [, value] = new RegExp(`"${field}":"([^"]*)"`).exec(responses.get(operationId)!)!;
    return [[variable, stable(value!)]];
  });
  const all = { values: Object.fromEntries(values), responses: Object.fromEntries(recorded) };
  return `${JSON.stringify(all, null, 2)}\n`;
}

function stabilizer(url: string): (text: string) => string {
  const ids = new Map<string, string>();
  const idFor = (prefix: string, id: string): string => {
    if (!ids.has(id))
      ids.set(id, `${prefix}_01jz5n8w3e7xk2m4q6s8v0${String(ids.size).padStart(4, '0')}`);
    return ids.get(id)!;
  };
  return (text) =>
    text
      .replaceAll(url, ADDRESS)
      .replaceAll(ANY_ID, (id, prefix) => idFor(prefix, id))
      .replaceAll(/\b(\w+_)[A-Za-z0-9]{40,}\b/g, `$1AbCdEf${'0'.repeat(43)}`)
      .replaceAll(/\breq_\w+/g, 'req_01jz5n8w3e7x')
      .replaceAll(/\bwhsec_[\w+/=]+/g, 'whsec_…')
      .replaceAll(/#token=[\w-]+/g, '#token=…')
      .replaceAll(/_[A-Za-z0-9]{6}(?=\*)/g, '_AbCdEf')
      // Sessions have the real clock, which may be later than the noon of the server.
      .replaceAll(/("lastSignedInAt":)"[^"]*"/g, `$1"${new Date(NOON).toISOString()}"`)
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
        new Date(Date.parse(time) - NOON + SHOWN_NOON).toISOString(),
      );
}

/** Two records of a list show its form: of counts, two that are not all zero. */
function shortened(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item)]));
  if (typeof value[0] !== 'object') return value;
  const counted = value.filter(({ total }) => total !== 0);
  return (counted.length > 0 ? counted : value).slice(0, 2).map(shortened);
}
