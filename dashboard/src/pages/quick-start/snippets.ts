/** Calls with the reader's own ids, and with values where they were made on this page. */
interface Names {
  readonly origin: string;
  readonly projectId: string;
  readonly accessKey: string;
  readonly apiKey: string;
  readonly keyId: string;
}

export const createKeyCurl = ({ origin, projectId, accessKey }: Names): string =>
  `curl -s ${origin}/api-keys \\
  -H 'x-api-key: ${accessKey}' \\
  -H 'content-type: application/json' \\
  -d '{"projectId":"${projectId}","name":"My first customer"}'`;

export const validateCurl = ({ origin, accessKey, apiKey }: Names): string =>
  `curl -s ${origin}/api-keys/auth \\
  -H 'x-api-key: ${accessKey}' \\
  -H 'content-type: application/json' \\
  -d '{"key":"${apiKey}"}'`;

export const limitCurl = ({ origin, accessKey, apiKey, keyId }: Names): string =>
  `curl -s -X PATCH ${origin}/api-keys/${keyId} \\
  -H 'x-api-key: ${accessKey}' \\
  -H 'content-type: application/json' \\
  -d '{"name":"My first customer","rateLimitConfigs":{"rateLimit":3,"rateLimitTtl":60}}'

for i in 1 2 3 4; do
  curl -s -o /dev/null -w '%{http_code}\\n' ${origin}/api-keys/auth \\
    -H 'x-api-key: ${accessKey}' -H 'content-type: application/json' \\
    -d '{"key":"${apiKey}"}'
done`;

export const validateTypeScript = ({ origin }: Names): string =>
  `import { Keyward } from 'keyward';

const keyward = new Keyward({
  url: '${origin}',
  accessKey: process.env.KEYWARD_ACCESS_KEY,
  onUnavailable: 'deny',
});

const { allowed, record } = await keyward.validate(request.headers['x-api-key']);
if (!allowed) return new Response(null, { status: 401 });`;
