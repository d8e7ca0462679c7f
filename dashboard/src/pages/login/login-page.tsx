import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useEnter } from '../../app/session/session.ts';
import { CodeForm } from './code-form.tsx';
import { PasswordForm } from './password-form.tsx';

const route = getRouteApi('/signed-out/login');

export function LoginPage() {
  const { next, error, expired = false } = route.useSearch();
  const enter = useEnter();
  const [needsCode, setNeedsCode] = useState(false);
  const onStatus = async (status: string) => {
    if (status === 'second-factor-required') setNeedsCode(true);
    else await enter(next);
  };
  return needsCode ? (
    <CodeForm onStatus={onStatus} onStartOver={() => setNeedsCode(false)} />
  ) : (
    <PasswordForm onStatus={onStatus} providerError={error} isExpired={expired} />
  );
}
