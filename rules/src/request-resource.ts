/** What a request is about, such as `POST:/v1/chat`. */
const RESOURCE = /^[A-Za-z0-9._:/-]{1,128}$/;
/** A resource, or the start of some resources and `*`. */
const PATTERN = /^(?=.)[A-Za-z0-9._:/-]{0,127}[A-Za-z0-9._:/*-]$/;

export const RESOURCE_LENGTH_MAX = 128;
/** Patterns of one limit. */
export const PATTERNS_MAX = 16;

export const isResource = (text: string): boolean => RESOURCE.test(text);
export const isPattern = (text: string): boolean => PATTERN.test(text);

/** `resource` null: the request names none, which only `*` matches. */
export const matchesResource = (patterns: readonly string[], resource: string | null): boolean =>
  patterns.some((pattern) => {
    if (!pattern.endsWith('*')) return pattern === resource;
    return pattern === '*' || (resource?.startsWith(pattern.slice(0, -1)) ?? false);
  });
