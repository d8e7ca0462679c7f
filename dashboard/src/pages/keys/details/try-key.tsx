import type { KeyRefusalCode } from '@keyward/rules/check-key.ts';
import { useMutation } from '@tanstack/react-query';
import type { ApiKey } from 'keyward';
import { Check, Minus, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { explainApiKey } from '../../../api/api-keys.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Failure } from '../../../components/feedback/failure.tsx';
import { TextField } from '../../../components/forms/field.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { addressProblem, itemsOf } from '../../../text/limits/policies.ts';

type ExplainResult = Awaited<ReturnType<typeof explainApiKey>>;

type Texts = readonly [passed: string, failed: string, topic: string];

/** Text of each check if it passes and if it fails, and its topic if it was not made. */
const SENTENCES: Record<KeyRefusalCode, Texts> = {
  key_project_inactive: ['The project is active', 'The project is inactive', 'Project'],
  key_revoked: ['The key is active', 'The key is revoked', 'Revocation'],
  key_not_started: [
    'The start time has passed',
    'The start time has not been reached',
    'Start time',
  ],
  key_expired: ['The key has not expired', 'The key has expired', 'Expiry'],
  domain_denied: ['The domain is allowed', 'The domain is not allowed', 'Domain'],
  ip_denied: ['The IP address is allowed', 'The IP address is not allowed', 'IP address'],
  permission_denied: ['The permissions are granted', 'A permission is missing', 'Permissions'],
  rate_limited: ['The limits allow it', 'A limit is exceeded', 'Limits'],
  credits_exhausted: ['The credits suffice', 'Too few credits are left', 'Credits'],
};

function checkText(code: string, isPassed: boolean | null): string {
  const [passed, failed, topic] = SENTENCES[code as KeyRefusalCode];
  if (isPassed === null) return `${topic} (not checked)`;
  return isPassed ? passed : failed;
}

/** Runs the checks of a validation for the given conditions. Nothing is counted. */
export function TryKey({ apiKey }: { readonly apiKey: ApiKey }) {
  const [permissions, setPermissions] = useState('');
  const [clientIP, setClientIP] = useState('');
  const [originDomain, setOriginDomain] = useState('');
  const attempt = useMutation({
    mutationFn: () =>
      explainApiKey(apiKey.id, {
        ...(itemsOf(permissions).length > 0 && { permissions: itemsOf(permissions) }),
        ...(clientIP.trim() && { clientIP: clientIP.trim() }),
        ...(originDomain.trim() && { originDomain: originDomain.trim() }),
      }),
  });
  const addressError = addressProblem(clientIP);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (addressError === null) attempt.mutate();
  };
  return (
    <Card title="Try it" description="Check what would happen. Nothing is counted.">
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <TextField
          label="Required permissions"
          optional
          placeholder="documents.read"
          spellCheck={false}
          value={permissions}
          onChange={setPermissions}
        />
        <TextField
          label="Client IP address"
          optional
          placeholder="203.0.113.7"
          value={clientIP}
          onChange={setClientIP}
          error={addressError}
        />
        <TextField
          label="Domain"
          optional
          placeholder="app.example.com"
          value={originDomain}
          onChange={setOriginDomain}
        />
        <Button type="submit" disabled={attempt.isPending}>
          Check
        </Button>
      </form>
      <div aria-live="polite" className="mt-4">
        {attempt.error && <Failure error={attempt.error} title="The key could not be checked" />}
        {attempt.data && <Explanation explanation={attempt.data} />}
      </div>
    </Card>
  );
}

function Explanation({
  explanation: { valid, code, missing, checks },
}: {
  readonly explanation: ExplainResult;
}) {
  return (
    <>
      <p className="font-medium">
        {valid ? 'The key would be accepted' : `The key would be refused: ${code}`}
      </p>
      <ul className="mt-2 flex flex-col gap-1 text-sm">
        {checks.map(({ code: failureCode, passed }) => (
          <li key={failureCode} className="flex items-center gap-2">
            <Mark passed={passed} />
            <span className={passed === null ? 'text-faint' : undefined}>
              {checkText(failureCode, passed)}
              {passed === false && missing.length > 0 && failureCode === 'permission_denied'
                ? `: ${missing.join(', ')}`
                : ''}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Mark({ passed }: { readonly passed: boolean | null }) {
  if (passed === null) return <Minus aria-hidden className="size-4 shrink-0 text-faint" />;
  return passed ? (
    <Check aria-hidden className="size-4 shrink-0 text-good" />
  ) : (
    <X aria-hidden className="size-4 shrink-0 text-bad" />
  );
}
