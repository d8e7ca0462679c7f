import { type SubmitEvent, useId, useState } from 'react';
import { createAccessKey } from '../../api/access-keys.ts';
import { useMe } from '../../api/me.ts';
import type { AccessKey } from '../../api/records.ts';
import { useAccount, useProject } from '../../app/current.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ActionFailure } from '../../components/feedback/notice.tsx';
import { RadioCards } from '../../components/forms/radio-cards.tsx';
import {
  CancelButton,
  Dialog,
  differs,
  UNSAVED_CHANGES,
} from '../../components/overlays/dialog.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { type DraftErrors, emptyDraft, readDraft } from './access-key-draft.ts';
import { AccessKeyFields } from './access-key-fields.tsx';
import { NewValue } from './new-value.tsx';

export function CreateAccessKey({ onClose }: { readonly onClose: () => void }) {
  // Here and nowhere else; gone when the dialog closes.
  const [made, setMade] = useState<AccessKey | null>(null);
  if (made) return <NewValue title="Access key created" made={made} onClose={onClose} />;
  return <CreateForm onClose={onClose} onMade={setMade} />;
}

type Level = 'project' | 'account';

function CreateForm({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  onMade(made: AccessKey): void;
}) {
  const project = useProject();
  const account = useAccount();
  const [draft, setDraft] = useState(emptyDraft);
  const [level, setLevel] = useState<Level>('project');
  const [errors, setErrors] = useState<DraftErrors>({});
  const { run, busy, failure } = useAction(createAccessKey);
  const form = useId();
  const narrowed = useMe().data?.accounts.find(
    ({ accountId }) => accountId === account.id,
  )?.projectIds;

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const { body, errors: wrong = {} } = readDraft(draft, Date.now());
    setErrors(wrong);
    if (!body) return;
    const made = await run({
      ...body,
      accountId: account.id,
      projectId: level === 'project' ? project.id : null,
    });
    if (made) onMade(made);
  }

  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={differs(draft, emptyDraft) ? UNSAVED_CHANGES : null}
      size="md"
      closesOnBackdrop={false}
      title="Create access key"
      description="A credential for your own servers and scripts, not for your customers."
      footer={
        <>
          <CancelButton />
          <Button kind="solid" type="submit" form={form} busy={busy}>
            Create access key
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
        <AccessKeyFields draft={draft} errors={errors} onChange={setDraft}>
          <RadioCards
            label="Scope"
            value={level}
            onChange={setLevel}
            options={[
              {
                value: 'project',
                label: `Project ${project.name}`,
                hint: `Only this project, in the ${project.env} environment.`,
              },
              {
                value: 'account',
                label: 'Whole account',
                hint: narrowed
                  ? 'Your role is limited to certain projects, so you cannot grant this.'
                  : `All current and future projects of ${account.name}.`,
                disabled: !!narrowed,
              },
            ]}
          />
        </AccessKeyFields>
        {failure && <ActionFailure>{failure}</ActionFailure>}
      </form>
    </Dialog>
  );
}
