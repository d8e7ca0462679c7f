const ADVICE: Partial<Record<string, string>> = {
  signup_disabled: 'Nobody here belongs to that login. Ask an owner of your account to invite you.',
  account_not_linked:
    'That login is not linked to you yet. Sign in another way, then link it under Settings.',
};

/** What to do when signing in elsewhere let nobody in. Anybody can write an address: no echo. */
export function explainRefusal(refusal: string | undefined): string | null {
  if (refusal === undefined) return null;
  return ADVICE[refusal] ?? 'Signing in there did not work. Try again, or use another way.';
}
