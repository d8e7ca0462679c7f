/** The request that a filled form stands for, and the same as a line for the shell. Pure. */

/**
 * @param operation as `operationsOf` gives it
 * @param values `{ 'path.id': '…', 'query.limit': '…', 'header.…': '…', body: '…' }`
 */
export function requestOf(operation, values) {
  const filled = (place) =>
    operation.parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name }) => [name, values[`${place}.${name}`] ?? ''])
      .filter(([, value]) => value !== '');
  const inPath = Object.fromEntries(filled('path'));
  const path = operation.path.replace(/\{([^}]+)\}/g, (placeholder, name) =>
    inPath[name] === undefined ? placeholder : encodeURIComponent(inPath[name]),
  );
  const query = new URLSearchParams(filled('query')).toString();
  const body = operation.body && values.body?.trim() ? values.body : undefined;
  const headers = filled('header').filter(([name]) => name.toLowerCase() !== 'x-api-key');
  if (body !== undefined) headers.push(['content-type', 'application/json']);
  return {
    method: operation.method,
    path: query === '' ? path : `${path}?${query}`,
    headers,
    body,
    needsCredential: operation.needsCredential,
  };
}

/** Names of path parameters that are still empty. */
export function missingIn(operation, values) {
  return operation.parameters
    .filter(({ in: place, name, required }) => required && !values[`${place}.${name}`])
    .filter(({ name }) => name.toLowerCase() !== 'x-api-key')
    .map(({ name }) => name);
}

/** The access key stays a variable of the shell: a line that is pasted around holds no secret. */
export function curlOf(request, origin) {
  const lines = [
    `curl${request.method === 'GET' ? '' : ` -X ${request.method}`} ${quote(origin + request.path)}`,
  ];
  if (request.needsCredential) lines.push('-H "x-api-key: $ACCESS_KEY"');
  for (const [name, value] of request.headers) lines.push(`-H ${quote(`${name}: ${value}`)}`);
  if (request.body !== undefined) lines.push(`-d ${quote(request.body)}`);
  return lines.join(' \\\n  ');
}

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
