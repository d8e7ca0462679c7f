/** A requirement as it is written in a request. A list means: all of them. */
export type PermissionsInput = string | PermissionList | PermissionGroup;
export type PermissionList = readonly (string | PermissionGroup)[];
export type PermissionGroup = { readonly all: PermissionList } | { readonly any: PermissionList };

export const PERMISSION_LENGTH_MAX = 128;
/** On one key, counted before duplicates are removed. */
export const PERMISSIONS_MAX = 100;
export const REQUIRED_MAX = 32;
/** A group in a group in a group. */
const DEPTH_MAX = 3;

const NAME = /^[A-Za-z0-9_-]+(?:[.:][A-Za-z0-9_-]+)*$/;
/** Everything, or whole segments of which the last may be `*`. */
const GRANT = /^(?:\*|[A-Za-z0-9_-]+(?:[.:][A-Za-z0-9_-]+)*(?:[.:]\*)?)$/;

export const isGrant = (text: string): boolean =>
  text.length <= PERMISSION_LENGTH_MAX && GRANT.test(text);

/** The permissions that a key holds, prepared for `missing`. */
export class Grants {
  readonly #all: boolean;
  readonly #names: ReadonlySet<string>;
  /** What comes before the `*`: `documents.` of `documents.*`. */
  readonly #prefixes: ReadonlySet<string>;

  constructor(permissions: readonly string[]) {
    this.#all = permissions.includes('*');
    this.#names = new Set(permissions);
    this.#prefixes = new Set(
      permissions.filter((each) => each.endsWith('*')).map((each) => each.slice(0, -1)),
    );
  }

  has({ name, prefixes }: RequiredName): boolean {
    return (
      this.#all ||
      this.#names.has(name) ||
      (this.#prefixes.size > 0 && prefixes.some((each) => this.#prefixes.has(each)))
    );
  }
}

export const NO_GRANTS = new Grants([]);

/** Whether these grants include everything that `permission` would grant, which may end in `*`. */
export const isGrantedBy = (grants: Grants, permission: string): boolean =>
  grants.has({ name: permission, prefixes: prefixesOf(permission) });

interface RequiredName {
  readonly name: string;
  /** `a.b.c` begins with `a.` and `a.b.`, so `a.*` and `a.b.*` grant it. */
  readonly prefixes: readonly string[];
}

/** What a request requires, prepared for `missing`. */
export type Requirement =
  | RequiredName
  | { readonly all: readonly Requirement[] }
  | { readonly any: readonly Requirement[] };

/** Requires both: in a batch, what the call requires of all keys and what it requires of one key. */
export const both = (a: Requirement | null, b: Requirement | null): Requirement | null =>
  a === null || b === null ? (a ?? b) : { all: [a, b] };

/** Names that are not granted, each once; of an unmet `any`, all its names. Empty if nothing is missing. */
export function missing(requirement: Requirement, grants: Grants): readonly string[] {
  return isMet(requirement, grants) ? [] : [...new Set(unmetNames(requirement, grants))];
}

export function isMet(requirement: Requirement, grants: Grants): boolean {
  if ('name' in requirement) return grants.has(requirement);
  return 'all' in requirement
    ? requirement.all.every((each) => isMet(each, grants))
    : requirement.any.some((each) => isMet(each, grants));
}

function unmetNames(requirement: Requirement, grants: Grants): string[] {
  if ('name' in requirement) return [requirement.name];
  if ('any' in requirement) return requirement.any.flatMap(namesIn);
  return requirement.all
    .filter((each) => !isMet(each, grants))
    .flatMap((each) => unmetNames(each, grants));
}

function namesIn(requirement: Requirement): string[] {
  return 'name' in requirement ? [requirement.name] : membersOf(requirement).flatMap(namesIn);
}

/** Faster than the length of `namesIn`: it runs for every request with a list. */
function countNames(requirement: Requirement): number {
  if ('name' in requirement) return 1;
  let count = 0;
  for (const each of membersOf(requirement)) count += countNames(each);
  return count;
}

const membersOf = (group: Exclude<Requirement, RequiredName>): readonly Requirement[] =>
  'all' in group ? group.all : group.any;

/** Why a requirement is not valid, as a sentence about the field `permissions`. */
export class InvalidRequirement extends Error {}

const SHAPE = 'permissions must be a name, a list of names, {"all": […]} or {"any": […]}.';

/** Reads a requirement; throws InvalidRequirement. */
export function readRequirement(input: unknown): Requirement {
  if (typeof input === 'string') return readName(input);
  const requirement = readAt(input, 0);
  if (countNames(requirement) > REQUIRED_MAX)
    throw new InvalidRequirement(`permissions must have at most ${REQUIRED_MAX} names.`);
  return requirement;
}

function readAt(input: unknown, depth: number): Requirement {
  if (typeof input === 'string') return readName(input);
  if (depth === DEPTH_MAX)
    throw new InvalidRequirement('permissions must not have more than three levels of groups.');
  if (Array.isArray(input) && depth === 0) return { all: readList(input, depth) };
  if (typeof input === 'object' && input !== null) {
    const [[kind, list] = [], ...others] = Object.entries(input);
    if (others.length === 0 && kind === 'all') return { all: readList(list, depth) };
    if (others.length === 0 && kind === 'any') return { any: readList(list, depth) };
  }
  throw new InvalidRequirement(SHAPE);
}

function readList(list: unknown, depth: number): Requirement[] {
  if (!Array.isArray(list)) throw new InvalidRequirement(SHAPE);
  if (list.length === 0) throw new InvalidRequirement('permissions must not have an empty list.');
  if (list.length > REQUIRED_MAX)
    throw new InvalidRequirement(`permissions must have at most ${REQUIRED_MAX} names.`);
  return list.map((each) => readAt(each, depth + 1));
}

function readName(name: string): RequiredName {
  if (name.length > PERMISSION_LENGTH_MAX || !NAME.test(name))
    throw new InvalidRequirement(
      `permissions: ${JSON.stringify(name.slice(0, PERMISSION_LENGTH_MAX))} is not a name of a permission; write it like documents.read, without *.`,
    );
  return { name, prefixes: prefixesOf(name) };
}

function prefixesOf(name: string): string[] {
  const prefixes: string[] = [];
  for (let at = 0; at < name.length; at++)
    if (name[at] === '.' || name[at] === ':') prefixes.push(name.slice(0, at + 1));
  return prefixes;
}
