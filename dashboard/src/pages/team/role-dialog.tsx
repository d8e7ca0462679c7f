import { useState } from 'react';
import type { Teammate } from '../../api/records.ts';
import { changeRole } from '../../api/team.ts';
import { Button } from '../../components/buttons/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import {
  CancelButton,
  Dialog,
  differs,
  UNSAVED_CHANGES,
} from '../../components/overlays/dialog.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { type RoleChoice, RoleFields, roleBody } from './role-fields.tsx';

interface RoleDialogProps {
  readonly teammate: Teammate;
  onClose(): void;
}

export function RoleDialog({ teammate, onClose }: RoleDialogProps) {
  const [choice, setChoice] = useState<RoleChoice>(teammate);
  const save = useAction(async () => {
    const body = roleBody(choice);
    if (body === null) return;
    await changeRole(teammate.id, body);
    toast({ text: `The role of ${teammate.name} is now ${choice.role}.` });
    onClose();
  });
  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={
        differs(choice.role, teammate.role) || differs(choice.projectIds, teammate.projectIds)
          ? UNSAVED_CHANGES
          : null
      }
      size="md"
      title={`Change role of ${teammate.name}`}
      description="Takes effect immediately."
      footer={
        <>
          <CancelButton />
          <Button
            kind="solid"
            busy={save.busy}
            disabled={roleBody(choice) === null}
            onClick={() => save.run()}
          >
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5 pt-2">
        <RoleFields value={choice} onChange={setChoice} />
        {save.failure && <Notice tone="bad">{save.failure}</Notice>}
      </div>
    </Dialog>
  );
}
