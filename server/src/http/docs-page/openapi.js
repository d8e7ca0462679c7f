/** Reading an OpenAPI 3.1 description: pure, no page in sight. */

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Follows a local `$ref`, and the ones it leads to. */
export function resolve(document, value) {
  let found = value;
  for (let hops = 0; found?.$ref !== undefined && hops < 16; hops += 1) {
    const { $ref, ...beside } = found;
    const target = $ref
      .replace(/^#\//, '')
      .split('/')
      .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce((at, part) => at?.[part], document);
    found = target === undefined ? { description: `Not found: ${$ref}` } : { ...target, ...beside };
  }
  return found ?? {};
}

/** Every operation, in the order of the description, with what its path says put into it. */
export function operationsOf(document) {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => {
      const operation = item[method];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return {
        ...operation,
        id: operation.operationId ?? `${method}${path.replace(/\W+/g, '-')}`,
        method: method.toUpperCase(),
        path,
        summary: operation.summary ?? path,
        tag: groupOf(path, operation),
        parameters: parameters.map((parameter) => resolve(document, parameter)),
        needsCredential: (operation.security ?? document.security ?? []).some(
          (way) => Object.keys(way).length > 0,
        ),
        body: operation.requestBody && resolve(document, operation.requestBody),
        responses: Object.entries(operation.responses ?? {}).map(([status, response]) => ({
          status,
          ...resolve(document, response),
        })),
      };
    }),
  );
}

/** Its first tag, or its first word of the path when that only marks the interface's version. */
function groupOf(path, { tags = [] }) {
  return tags.find((tag) => !/_v\d+$/.test(tag)) ?? (path.split('/')[1] || 'service');
}

/** `api-keys` as a title. */
export function titleOf(name) {
  const words = name.replaceAll('-', ' ').replace(/\bapi\b/gi, 'API');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Operations by tag: tags that the description lists come first, in its order. */
export function groupsOf(document, operations) {
  const listed = (document.tags ?? []).map(({ name }) => name);
  const names = [...new Set([...listed, ...operations.map(({ tag }) => tag)])];
  return names
    .map((name) => ({
      name,
      description: document.tags?.find((tag) => tag.name === name)?.description,
      operations: operations.filter(({ tag }) => tag === name),
    }))
    .filter(({ operations: inGroup }) => inGroup.length > 0);
}

export function matches(operation, filter) {
  const text = `${operation.method} ${operation.path} ${operation.summary} ${operation.id} ${operation.tag}`;
  const words = filter.toLowerCase().split(/\s+/);
  return words.every((word) => text.toLowerCase().includes(word));
}

export function jsonContent(holder) {
  const content = holder?.content ?? {};
  return content['application/json'] ?? Object.values(content)[0];
}

/** The codes an error answer may carry: as it lists them, else as its schema does. */
export function codesOf(document, response) {
  if (response['x-keyward-codes']) return response['x-keyward-codes'];
  const schema = resolve(document, jsonContent(response)?.schema);
  const code = resolve(document, schema.properties?.code);
  return code.enum ?? (code.const === undefined ? [] : [code.const]);
}

/** Every error code: as the description lists them with their messages, else as its answers do. */
export function errorsOf(document, operations) {
  if (document['x-keyward-errors']) return document['x-keyward-errors'];
  const statuses = new Map();
  for (const { responses } of operations) {
    for (const response of responses.filter(({ status }) => Number(status) >= 400)) {
      for (const code of response['x-keyward-codes'] ?? []) statuses.set(code, response.status);
    }
  }
  return [...statuses]
    .map(([code, status]) => ({ code, status, message: '' }))
    .sort((a, b) => Number(a.status) - Number(b.status));
}
