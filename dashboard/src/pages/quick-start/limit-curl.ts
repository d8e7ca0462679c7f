interface Names {
  readonly origin: string;
  readonly accessKey: string;
  readonly apiKey: string;
  readonly keyId: string;
}

/** Limits a key to three requests per minute, then sends four. */
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
