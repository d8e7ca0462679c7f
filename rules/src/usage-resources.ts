import { isPattern, matchesResource } from './request-resource.ts';

/** Patterns of one project. */
export const USAGE_RESOURCES_MAX = 50;

/** What requests are counted as that no pattern matches. */
export const OTHER_RESOURCE = 'other';

/** Whether a project can declare it. */
export const isUsageResource = (text: string): boolean =>
  isPattern(text) && text !== OTHER_RESOURCE;

/** The pattern that a request is counted as: the first that matches. `resource` null: the request names none. */
export const usageResource = (patterns: readonly string[], resource: string | null): string =>
  patterns.find((pattern) => matchesResource([pattern], resource)) ?? OTHER_RESOURCE;
