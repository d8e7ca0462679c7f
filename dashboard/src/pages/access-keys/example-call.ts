import type { Scope } from '../../fields/scopes.ts';

/** A request that an access key with these scopes can make, ready to run. */
export function exampleCall(value: string, scopes: readonly Scope[], projectId: string) {
  const may = (scope: Scope) => scopes.includes('*') || scopes.includes(scope);
  const header = `-H 'x-api-key: ${value}'`;
  const json = "-H 'content-type: application/json'";
  const { origin } = location;
  if (may('keys:validate'))
    return {
      label: 'Validate a key',
      code: `curl -X POST ${origin}/api-keys/auth \\\n  ${header} \\\n  ${json} \\\n  -d '{"key":"<API_KEY>"}'`,
    };
  if (may('keys:write'))
    return {
      label: 'Create a key',
      code: `curl -X POST ${origin}/api-keys \\\n  ${header} \\\n  ${json} \\\n  -d '{"name":"My first customer","projectId":"${projectId}"}'`,
    };
  const path = READS.find(([scope]) => may(scope))?.[1] ?? '/projects';
  return { label: 'Try it', code: `curl '${origin}${path}?limit=10' \\\n  ${header}` };
}

const READS: readonly (readonly [Scope, string])[] = [
  ['keys:read', '/api-keys'],
  ['plans:read', '/plans'],
  ['customers:read', '/customers'],
  ['analytics:read', '/analytics/api-key-totals'],
  ['audit:read', '/audit-logs'],
  ['webhooks:read', '/webhooks'],
  ['access-keys:read', '/access-keys'],
  ['invitations:read', '/invitations'],
  ['accounts:read', '/accounts'],
];
