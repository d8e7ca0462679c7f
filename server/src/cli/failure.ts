/** The command line itself is wrong: exit code 2, with a hint where help is to be had. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The server was asked and said no. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  /** How long to wait before asking again, where the server says it. */
  readonly retryAfterSeconds: number | null;
  readonly body: unknown;

  constructor(answer: {
    status: number;
    code: string;
    message: string;
    requestId: string | null;
    retryAfterSeconds: number | null;
    body: unknown;
  }) {
    super(answer.message);
    this.status = answer.status;
    this.code = answer.code;
    this.requestId = answer.requestId;
    this.retryAfterSeconds = answer.retryAfterSeconds;
    this.body = answer.body;
  }
}

/** Fields of the API, as this command line calls them. */
const OPTION_OF: Readonly<Record<string, string>> = {
  projectId: '--project',
  accountId: '--account',
  customMetaData: '--metadata',
  customAccountId: '--account-id',
  customUserId: '--user-id',
  rateLimitConfigs: '--rate-limit',
  allowedDomains: '--domain',
  graceSeconds: '--grace',
};

/** Messages of the server that speak of the API where a person at a terminal needs something else. */
const MESSAGE_OF: Readonly<Record<string, string>> = {
  project_required:
    'There is more than one active project. Say which with --project; `npx keyward projects list` shows them.',
  account_required: 'Say which account with --account; `npx keyward accounts list` shows them.',
  credential_missing: 'Set KEYWARD_ACCESS_KEY, or use --access-key.',
};

const forTerminal = ({ code, message }: Refusal): string =>
  MESSAGE_OF[code] ?? message.replace(/\b[a-z]+[A-Z]\w*\b/g, (word) => OPTION_OF[word] ?? word);

/** One line for a person, whatever went wrong. */
export function failureLine(error: unknown): string {
  if (error instanceof Refusal) {
    const details = [error.code, error.requestId && `request ${error.requestId}`];
    return `keyward: ${forTerminal(error)} (${details.filter(Boolean).join(', ')})`;
  }
  return `keyward: ${error instanceof Error ? error.message : String(error)}`;
}
