import type { Change } from './change-bus.ts';

type Kind = Change['kind'];
type FieldsOf<K extends Kind> = readonly Exclude<keyof Extract<Change, { kind: K }>, 'kind'>[];

/** Channels belong to a database, so each installation has its own. */
export const CHANGES_CHANNEL = 'keyward_changes';

/** PostgreSQL accepts less than 8,000 bytes. */
const MESSAGE_BYTES_MAX = 7_900;
/** About 1,500 changes. Processing more costs a node more than clearing its cache. */
const MESSAGES_MAX = 32;

/** A change is one line: its kind and these fields, separated by spaces. Ids and hashes contain none. */
const FIELDS: { readonly [K in Kind]: FieldsOf<K> } = {
  'api-key': ['id', 'hash', 'accountId', 'projectId'],
  'access-key': ['id', 'hash'],
  project: ['id', 'accountId'],
  credits: ['pool'],
  plan: ['id', 'accountId', 'projectId'],
  customer: ['group', 'accountId', 'projectId'],
  everything: [],
};

const EVERYTHING: readonly Change[] = [{ kind: 'everything' }];

/** Encodes changes as text, in as many messages as needed. */
export function encodeChanges(changes: readonly Change[]): string[] {
  const messages: string[] = [];
  let message = '';
  for (const change of changes) {
    const line = lineOf(change);
    if (message.length + line.length >= MESSAGE_BYTES_MAX) {
      messages.push(message);
      message = '';
      if (messages.length >= MESSAGES_MAX) return EVERYTHING.map(lineOf);
    }
    message += message === '' ? line : `\n${line}`;
  }
  return message === '' ? messages : [...messages, message];
}

const lineOf = (change: Change): string => {
  const values: Readonly<Record<string, string>> = change;
  return [change.kind, ...FIELDS[change.kind].map((field) => values[field])].join(' ');
};

/** An unknown message, for example from a newer node, counts as a change of everything. */
export function decodeChanges(message: string): readonly Change[] {
  const changes: Change[] = [];
  for (const line of message.split('\n')) {
    const change = changeOf(line);
    if (change === null) return EVERYTHING;
    changes.push(change);
  }
  return changes;
}

function changeOf(line: string): Change | null {
  const [kind = '', ...values] = line.split(' ');
  if (!Object.hasOwn(FIELDS, kind)) return null;
  const fields = FIELDS[kind as Kind];
  if (values.length !== fields.length || values.includes('')) return null;
  const entries = fields.map((field, index) => [field, values[index]]);
  return { kind, ...Object.fromEntries(entries) } as Change;
}
