import { useState } from 'react';
import { keyward } from '../../api/client.ts';
import { Button } from '../../components/buttons/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { PasswordField } from '../../components/forms/password-field.tsx';
import { Card } from '../../components/layout/card.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { PASSWORD_HINT } from '../password/password-hint.ts';

export function PasswordCard() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useAction(async () => {
    await keyward.me.changePassword({ currentPassword: current, newPassword: next });
    setCurrent('');
    setNext('');
    toast({ text: 'Password changed. Your other sessions were signed out.' });
  });
  return (
    <Card title="Password" description="Changing it signs you out on your other devices.">
      <form
        className="grid gap-4 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          void change.run();
        }}
      >
        <PasswordField
          label="Current password"
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
        />
        <PasswordField
          label="New password"
          autoComplete="new-password"
          hint={PASSWORD_HINT}
          value={next}
          onChange={setNext}
        />
        {change.failure && (
          <div className="sm:col-span-2">
            <Notice tone="bad">{change.failure}</Notice>
          </div>
        )}
        <div>
          <Button type="submit" busy={change.busy} disabled={current === '' || next === ''}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  );
}
