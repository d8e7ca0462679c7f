import { KeywardError } from 'keyward';
import { optionFor } from './fields/option-names.ts';
import { printable } from './terminal/cell.ts';

/** The command line is wrong: exit code 2, and a pointer to the help. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Replaces messages of the server that refer to the API. */
const MESSAGE_OF: Readonly<Record<string, string>> = {
  project_required:
    'This account does not have exactly one active project. Choose one with --project (`npx keyward projects list` shows them), or create one with `npx keyward projects create`.',
  account_required: 'Choose an account with --account; `npx keyward accounts list` shows them.',
  credential_missing: 'Set KEYWARD_ACCESS_KEY, or use --access-key.',
};

/** `permissions` and `tags` are ordinary words too: such a word is a field only at the start of a message. */
const FIELD = /^[a-z]+\b|\b[a-z]+[A-Z]\w*\b/g;

const messageOf = ({ code, message }: KeywardError): string =>
  MESSAGE_OF[code] ?? printable(message).replace(FIELD, optionFor);

/** The text for a failure: one line, and for errors of the server the page about the code. */
export function failureText(error: unknown): string {
  if (!(error instanceof KeywardError))
    return `keyward: ${error instanceof Error ? error.message : String(error)}\n`;
  const { code, requestId, docs } = error;
  const details = [code, ...(requestId === null ? [] : [`request ${requestId}`])].join(', ');
  const line = `keyward: ${messageOf(error)} (${printable(details)})\n`;
  return docs === null ? line : `${line}See: ${printable(docs)}\n`;
}
