import type { Field, Kind } from '@keyward/rules/resources/field.ts';
import type { OptionSpecs } from '../command.ts';
import {
  readInteger,
  readMetadata,
  readNamedLimit,
  readRateLimit,
  readRefill,
  withoutUndefined,
} from '../values.ts';
import { withOptions } from './option-names.ts';

type FieldOf<K extends Kind> = Extract<Field, { readonly kind: K }>;

export interface OptionKind<K extends Kind = Kind> {
  /** Placeholder for the value in the help. */
  readonly value: string | ((field: FieldOf<K>) => string);
  readonly multiple?: true;
  /** For kinds whose values say enough, one text for all fields. */
  help(field: FieldOf<K>): string;
  /** Other options that set the same field. */
  readonly others?: OptionSpecs;
  /** From what was typed to the request. Absent: it is sent as it is, and the server reads it. */
  read?(given: never, others: { readonly [name: string]: string | undefined }): unknown;
  /** The field has always a value, so `--clear` does not take it. */
  readonly alwaysSet?: true;
}

const lastWord = ({ option }: Field) => option.split('-').at(-1)!.toUpperCase();
const sentences = ({ help }: Field) => withOptions(help).replace(/\.$/, '');
const repeatable = (text: string) => `${text} (repeatable)`;

export const REFILL = {
  refill: {
    value: 'N/INTERVAL',
    help: 'Set the credits to N every hour, day, week or month: 1000/month, or with a time zone 1000/month,Europe/Berlin',
  },
} as const satisfies OptionSpecs;

/** How each kind of value is given on the command line. */
export const KINDS = {
  name: { value: 'NAME', help: sentences },
  text: { value: lastWord, help: sentences },
  email: { value: 'ADDRESS', help: sentences },
  choice: {
    value: ({ options }) => options.join('|'),
    help: ({ help, standard }) => `${help} Default: ${standard}`,
    alwaysSet: true,
  },
  prefix: {
    value: 'PREFIX',
    help: () =>
      'What new key values begin with, such as acme_ or acme_live_. Default: live_ or test_',
  },
  plan: { value: 'ID', help: (field) => `The plan (pln_…). ${sentences(field)}` },
  tags: { value: 'TAG', multiple: true, help: (field) => repeatable(sentences(field)) },
  metadata: {
    value: 'JSON',
    help: () => `Custom metadata, as a JSON object: '{"plan":"pro"}'`,
    read: readMetadata,
    alwaysSet: true,
  },
  time: { value: 'TIME', help: (field) => `${sentences(field)}; written like --expiry` },
  expiry: {
    value: 'TIME',
    help: () => '2030-01-01, 2030-01-01T12:00:00Z or "2030-01-01 12:00:00" (UTC)',
  },
  scopes: {
    value: 'SCOPE',
    multiple: true,
    help: () =>
      'A scope, such as keys:validate or keys:write (repeatable). Default for a new access key: all scopes',
    alwaysSet: true,
  },
  permissions: {
    value: 'NAME',
    multiple: true,
    help: () => repeatable('What the key may do: documents.read, documents.* or *'),
  },
  domains: {
    value: 'HOST',
    multiple: true,
    help: () => repeatable('A host the key may be used from, app.example.com or *.example.com'),
  },
  units: {
    value: 'UNIT',
    multiple: true,
    help: (field) => repeatable(sentences(field)),
  },
  origins: {
    value: 'ORIGIN',
    multiple: true,
    help: () => repeatable('A site that may embed the portal, such as https://app.example.com'),
  },
  addresses: {
    value: 'RANGE',
    multiple: true,
    help: () =>
      repeatable('An address or range the key may be used from, 203.0.113.7 or 10.0.0.0/8'),
  },
  resources: {
    value: 'PATTERN',
    multiple: true,
    help: (field) => repeatable(sentences(field)),
  },
  limit: {
    value: 'N/SECONDS',
    help: () => '10/60: ten requests a minute. Also 1000/1h, 50000/1d',
    read: (text: string) => readRateLimit(text),
  },
  limits: {
    value: 'NAME=N/TIME',
    multiple: true,
    help: () =>
      repeatable(
        'A limit with a name: day=10000/1d, or by the calendar: month=10000/month. Append ,customer to count all keys of a customer together; ,sliding for a sliding window; ,shadow to count without refusing; ,unit:tokens to count another unit; ,for:POST:/v1/chat* to count only some requests; ,timezone:Europe/Berlin and ,anchor:2030-01-15 for the calendar',
      ),
    read: (texts: readonly string[]) => texts.map(readNamedLimit),
  },
  credits: {
    value: 'N',
    help: () =>
      'Number of credits left; each validation takes its cost. Default: the amount of --refill',
    others: REFILL,
    read: (text: string | undefined, { refill }) =>
      withoutUndefined({
        remaining: text === undefined ? undefined : readInteger(text, '--credits'),
        refill: refill === undefined ? undefined : readRefill(refill),
      }),
  },
  planCredits: {
    value: 'N/INTERVAL',
    help: () =>
      'Credits for each customer, refilled every hour, day, week or month: 1000/month. Without an interval: once',
    read: (text: string) => {
      const [amount = '', interval = null] = text.split('/', 2);
      return { amount: readInteger(amount, '--credits'), interval };
    },
  },
} satisfies { readonly [K in Kind]: OptionKind<K> };

export type Kinds = typeof KINDS;
