import {
  AREAS,
  nounOf,
  RESOURCES,
  type Resource,
  type ResourceArea,
} from '@keyward/rules/areas.ts';

// Texts about resources that nothing special is said about.

const VERBS = ['created', 'updated', 'deleted'] as const;

/** Also a topic, if there is an event. */
export type UsualAction = `${Resource}.${(typeof VERBS)[number]}`;

export const aNoun = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

export const usualActions = (text: (noun: string, verb: string) => string) =>
  Object.fromEntries(
    RESOURCES.flatMap((resource) =>
      VERBS.map((verb) => [`${resource}.${verb}`, text(nounOf(resource), verb)]),
    ),
  ) as Record<UsualAction, string>;

export const usualResources = <T>(text: (noun: string) => T) =>
  Object.fromEntries(RESOURCES.map((resource) => [resource, text(nounOf(resource))])) as Record<
    Resource,
    T
  >;

export type UsualScope = `${ResourceArea}:${'read' | 'write'}`;

export const usualScopes = <T>(read: (area: string) => T, write: (area: string) => T) =>
  Object.fromEntries(
    Object.entries(AREAS).flatMap(([name, area]) =>
      'resource' in area
        ? [
            [`${name}:read`, read(name)],
            [`${name}:write`, write(name)],
          ]
        : [],
    ),
  ) as Record<UsualScope, T>;

/** The special texts in their order, then those of the usual ones that they do not replace. */
export const withUsual = <Special extends object, Usual extends object>(
  special: Special,
  usual: Usual,
): Special & Usual => ({ ...special, ...usual, ...special });
