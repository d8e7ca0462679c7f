const LENGTH_MAX = 128;

/**
 * The `resource` of a route, such as `GET:/v1/things/:id`, without the characters that Keyward does not permit. Routes
 * for GET answer HEAD too. Undefined for a route without a pattern, such as a regular expression.
 */
export function routeResource(method: string | undefined, pattern: unknown): string | undefined {
  if (method === undefined || typeof pattern !== 'string' || !pattern.startsWith('/'))
    return undefined;
  const route = `${method === 'HEAD' ? 'GET' : method}:${pattern}`;
  return route.replace(/[^A-Za-z0-9._:/-]/g, '').slice(0, LENGTH_MAX);
}

/** Throws if Keyward would refuse every validation with it. */
export function checkResource(resource: string): void {
  if (!/^[A-Za-z0-9._:/-]{1,128}$/.test(resource))
    throw new RangeError(
      '`resource` must be 1 to 128 letters, digits or characters of "._:/-", such as "POST:/v1/chat".',
    );
}
