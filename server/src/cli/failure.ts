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

/** One line for a person, whatever went wrong. */
export function failureLine(error: unknown): string {
  if (error instanceof Refusal) {
    const details = [error.code, error.requestId && `request ${error.requestId}`];
    return `keyward: ${error.message} (${details.filter(Boolean).join(', ')})`;
  }
  return `keyward: ${error instanceof Error ? error.message : String(error)}`;
}
