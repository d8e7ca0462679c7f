import { useState } from 'react';
import { keyward } from '../../api/client.ts';
import { Button } from '../../components/buttons/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { useAction } from '../../hooks/use-action.ts';

interface CodeFormProps {
  onStatus(status: string): Promise<void>;
  onStartOver(): void;
}

export function CodeForm({ onStatus, onStartOver }: CodeFormProps) {
  const [kind, setKind] = useState<'totp' | 'recovery-code'>('totp');
  const [code, setCode] = useState('');
  const enter = useAction(async (typed: string) => {
    const code = typed.trim();
    const { status } = await (kind === 'totp'
      ? keyward.signIn.withTotp({ code })
      : keyward.signIn.withRecoveryCode({ code }));
    await onStatus(status);
  });
  const isTotp = kind === 'totp';

  function onType(typed: string) {
    setCode(typed);
    // Submit automatically when all six digits are entered.
    if (isTotp && /^\d{6}$/.test(typed) && !enter.busy) void enter.run(typed);
  }

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void enter.run(code);
      }}
    >
      <PageHeader
        title="Two-factor authentication"
        description={
          isTotp ? 'Enter the code from your authenticator app.' : 'Each recovery code works once.'
        }
      />
      {enter.failure && <Notice tone="bad">{enter.failure}</Notice>}
      <TextField
        key={kind}
        label={isTotp ? 'Six-digit code' : 'Recovery code'}
        name="code"
        autoComplete="one-time-code"
        inputMode={isTotp ? 'numeric' : 'text'}
        mono
        required
        autoFocus
        value={code}
        onChange={onType}
      />
      <Button kind="solid" size="lg" type="submit" busy={enter.busy}>
        Continue
      </Button>
      <div className="flex justify-between">
        <Button
          kind="quiet"
          onClick={() => {
            setCode('');
            setKind(isTotp ? 'recovery-code' : 'totp');
          }}
        >
          {isTotp ? 'Use a recovery code' : 'Use authenticator app'}
        </Button>
        <Button kind="quiet" onClick={onStartOver}>
          Start over
        </Button>
      </div>
    </form>
  );
}
