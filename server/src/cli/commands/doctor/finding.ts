/** One result of a check. A warning can be intended; a problem cannot. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'problem';
  readonly what: string;
  /** What to do. */
  readonly remedy?: string;
}

export const ok = (what: string): Finding => ({ level: 'ok', what });
export const warning = (what: string, remedy: string): Finding => ({
  level: 'warning',
  what,
  remedy,
});
export const problem = (what: string, remedy: string): Finding => ({
  level: 'problem',
  what,
  remedy,
});

export const messageOf = (error: unknown): string => {
  const { message, errors } = error as AggregateError;
  return message || (errors?.[0] as Error | undefined)?.message || String(error);
};
