import type { Teammate } from 'keyward';
import { useState } from 'react';
import { changeRole } from '../../api/team.ts';
import { toast } from '../../components/feedback/toasts.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { NO_PROJECT, type RoleChoice, RoleFields, roleBody } from './role-fields.tsx';

interface RoleDialogProps {
  readonly teammate: Teammate;
  onClose(): void;
}

export function RoleDialog({ teammate, onClose }: RoleDialogProps) {
  const [choice, setChoice] = useState<RoleChoice>(teammate);
  const [error, setError] = useState<string>();
  const { run, busy, failure } = useAction(async () => {
    const body = roleBody(choice);
    if (body === null) return setError(NO_PROJECT);
    await changeRole(teammate.id, body);
    toast({ text: `The role of ${teammate.name} is now ${choice.role}.` });
    onClose();
  });
  return (
    <FormDialog
      onClose={onClose}
      size="md"
      title={`Change role of ${teammate.name}`}
      description="Takes effect immediately."
      input={choice}
      action="Save"
      busy={busy}
      failure={failure}
      onSubmit={run}
    >
      <RoleFields
        value={choice}
        onChange={(changed) => {
          setChoice(changed);
          setError(undefined);
        }}
        error={error}
      />
    </FormDialog>
  );
}
