import type { Field, Kind } from '@keyward/rules/resources/field.ts';
import Type, { type Static, type TSchema } from 'typebox';
import { SCOPES } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import { checkMetadata } from '../../kernel/json/json.ts';
import {
  CustomId,
  Email,
  Id,
  Metadata,
  NameOf,
  RateLimitConfigs,
  RateLimitConfigsUpdate,
  Time,
  TimeInput,
} from '../../kernel/schemas.ts';
import { wrongPrefix } from '../../kernel/secrets/key-values.ts';
import { isoTimeOrNull } from '../../kernel/time/clock.ts';
import { readExpiry } from '../../kernel/time/expiry.ts';
import { readTime } from '../../kernel/time/read-time.ts';
import { Credits, CreditsInput, PlanCreditsField } from '../credits/index.ts';
import {
  AllowedDomains,
  AllowedIPs,
  addressesText,
  domainsText,
  type Limit,
  LimitInputs,
  Limits,
  limitsText,
  listOrNull,
  Permissions,
  permissionsText,
  Tags,
  tagsText,
} from '../policies/index.ts';
import { Origins, originsText } from './origins.ts';
import { Resources, resourcesText } from './resources.ts';
import { Units, unitsText } from './units.ts';

export type FieldOf<K extends Kind> = Extract<Field, { readonly kind: K }>;

/** What a request sends; null or undefined: nothing. */
type Sent<T> = T | null | undefined;

export interface Reading {
  /** The name of the field in the request, for errors. */
  readonly name: string;
  /** An expiry must be later; null: it may be in the past. */
  readonly notBefore: number | null;
}

interface KindOfValue<K extends Kind> {
  /**
   * What an unset field is. `null`: null in requests and records. `empty`: null or an empty list in requests, an empty
   * list in records. `standard`: it has a value, and requests cannot unset it.
   */
  readonly unset: 'null' | 'empty' | 'standard';
  input(field: FieldOf<K>): TSchema;
  /** The schema in updates, with all ways to unset it, if it is another. */
  update?(): TSchema;
  /** Describes the field in requests, if its schema is shared and says nothing about it. */
  note?(field: FieldOf<K>): string;
  output(field: FieldOf<K>): TSchema;
  /** From a request to the column. Absent: the resource does it. */
  write?(value: never, reading: Reading, field: FieldOf<K>): string | number | null;
  /** From the column to the record. Absent: the resource does it. */
  read?(stored: never): unknown;
}

const asStored = (value: Sent<string>): string | null => value ?? null;
const asText = (stored: string | null): string | null => stored;
const json = (value: object | null | undefined): string | null =>
  value ? JSON.stringify(value) : null;
const needsCreditsScope = ({ help }: { help: string }) =>
  `${help} Needs the scope \`credits:write\` too.`;

/** How the server treats each kind of value. */
export const KINDS = {
  name: {
    unset: 'null',
    input: ({ help }) => NameOf(help),
    output: ({ help }) => NameOf(help),
    write: asStored,
    read: asText,
  },
  text: {
    unset: 'null',
    input: ({ max, help }) => ({ ...CustomId, maxLength: max, description: help }),
    output: ({ max, help }) => ({ ...CustomId, maxLength: max, description: help }),
    write: asStored,
    read: asText,
  },
  email: {
    unset: 'null',
    input: ({ help }) => Email(help),
    output: ({ help }) => Email(help),
    write: asStored,
    read: asText,
  },
  choice: {
    unset: 'standard',
    input: choice,
    output: choice,
    write: (value: Sent<string>, _, { standard }) => value ?? standard,
    read: (stored: string) => stored,
  },
  prefix: {
    unset: 'null',
    input: ({ help }) => KeyPrefix(help),
    output: ({ help }) => KeyPrefix(help),
    write: prefixText,
    read: asText,
  },
  plan: {
    unset: 'null',
    input: ({ help }) => Id('pln', 'the plan', help),
    output: ({ help }) => Id('pln', 'the plan', help),
    write: asStored,
    read: asText,
  },
  tags: {
    unset: 'empty',
    input: () => Tags,
    output: () => Tags,
    write: tagsText,
    read: listOrEmpty,
  },
  metadata: {
    unset: 'standard',
    input: () => Metadata,
    output: () => Metadata,
    write: (value: Sent<Record<string, unknown>>, { name }) => checkMetadata(value ?? {}, name),
    read: (stored: string): Record<string, unknown> => JSON.parse(stored),
  },
  time: {
    unset: 'null',
    input: ({ help }) => TimeInput(help),
    output: () => Time,
    write: (value: Sent<string>, { name }) => (value ? readTime(name, value) : null),
    read: isoTimeOrNull,
  },
  expiry: {
    unset: 'null',
    input: ({ help }) => TimeInput(help),
    output: () => Time,
    write: (value: Sent<string>, { name, notBefore }) =>
      value ? readExpiry(value, notBefore, name) : null,
    read: isoTimeOrNull,
  },
  scopes: {
    unset: 'standard',
    input: ({ help }) => Scopes(help),
    output: ({ help }) => Scopes(help),
    write: (value: Sent<readonly string[]>) => JSON.stringify(value ?? ['*']),
    read: (stored: string): Static<ReturnType<typeof Scopes>> => JSON.parse(stored),
  },
  permissions: {
    unset: 'empty',
    input: () => Permissions,
    output: () => Permissions,
    write: permissionsText,
    read: listOrEmpty,
  },
  domains: {
    unset: 'null',
    input: () => AllowedDomains,
    output: () => AllowedDomains,
    write: domainsText,
    read: listOrNull<string>,
  },
  addresses: {
    unset: 'null',
    input: () => AllowedIPs,
    output: () => AllowedIPs,
    write: addressesText,
    read: listOrNull<string>,
  },
  units: {
    unset: 'empty',
    input: ({ help }) => Units(help),
    output: ({ help }) => Units(help),
    write: (value: Sent<readonly string[]>, { name }) => unitsText(name, value),
    read: listOrEmpty,
  },
  origins: {
    unset: 'empty',
    input: ({ help }) => Origins(help),
    output: ({ help }) => Origins(help),
    write: (value: Sent<readonly string[]>, { name }) => originsText(name, value),
    read: listOrEmpty,
  },
  resources: {
    unset: 'empty',
    input: ({ help }) => Resources(help),
    output: ({ help }) => Resources(help),
    write: (value: Sent<readonly string[]>, { name }) => resourcesText(name, value),
    read: listOrEmpty,
  },
  // Two columns, which the resources read and write.
  limit: {
    unset: 'null',
    input: () => RateLimitConfigs,
    update: () => RateLimitConfigsUpdate,
    output: () => RateLimitConfigs,
  },
  limits: {
    unset: 'empty',
    input: () => LimitInputs,
    output: () => Limits,
    write: limitsText,
    read: (stored: string | null) => listOrNull<Limit>(stored) ?? [],
  },
  // A table of its own; a row has them as the API shows them.
  credits: {
    unset: 'null',
    input: () => CreditsInput,
    note: needsCreditsScope,
    output: () => Credits,
    read: (stored: Credits | null) => stored,
  },
  planCredits: {
    unset: 'null',
    input: () => PlanCreditsField,
    note: needsCreditsScope,
    output: () => PlanCreditsField,
    write: json,
    read: (stored: string | null): Static<typeof PlanCreditsField> | null =>
      stored === null ? null : JSON.parse(stored),
  },
} satisfies { readonly [K in Kind]: KindOfValue<K> };

export type Kinds = typeof KINDS;

function listOrEmpty(stored: string | null): string[] {
  return listOrNull<string>(stored) ?? [];
}

function choice({ options, help }: FieldOf<'choice'>) {
  return Type.Union(
    options.map((option) => Type.Literal(option)),
    { description: help },
  );
}

const KeyPrefix = (help: string) =>
  Type.String({
    minLength: 1,
    maxLength: 33,
    description: `${help} One or two lower-case words, each followed by \`_\`. Null: \`live_\` or \`test_\`. Existing values do not change.`,
    examples: ['acme_live_'],
  });

function prefixText(value: Sent<string>): string | null {
  const wrong = value ? wrongPrefix(value) : null;
  if (wrong !== null) throw new KeywardError('invalid_body', wrong);
  return value ?? null;
}

const Scopes = (help: string) =>
  Type.Array(Type.Enum([...SCOPES, '*']), {
    minItems: 1,
    maxItems: SCOPES.length + 1,
    uniqueItems: true,
    description: `${help} \`*\`, the default, allows everything in its account or project.`,
  });
