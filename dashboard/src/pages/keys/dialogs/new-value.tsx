import { useState } from 'react';
import type { ApiKey } from '../../../api/records.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { SecretOnce } from '../../../components/display/secret-once.tsx';
import { Snippets } from '../../../components/display/snippets.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';
import { validateSnippets } from '../../../text/call-snippets.ts';

interface NewValueProps {
  readonly title: string;
  /** With its whole value: from the state of the dialog that made it. */
  readonly made: ApiKey;
  onClose(): void;
  onOpenKey(): void;
}

/** The value, this once. Escape by accident does not lose it: only `Done` closes at once. */
export function NewValue({ title, made, onClose, onOpenKey }: NewValueProps) {
  const [leaving, setLeaving] = useState(false);
  return (
    <Dialog
      open
      onClose={() => setLeaving(true)}
      closesOnBackdrop={false}
      size="md"
      title={title}
      description={made.name}
      footer={
        <>
          <Button onClick={onOpenKey}>Open the key</Button>
          <Button kind="solid" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {leaving && (
          <Notice
            tone="bad"
            title="The value is gone when this closes"
            action={
              <Button size="sm" onClick={onClose}>
                Close anyway
              </Button>
            }
          >
            Copy it first. If it is lost, rotate the key.
          </Notice>
        )}
        <SecretOnce what="API key" value={made.key} />
        <Snippets
          label="Validate the key"
          snippets={validateSnippets(
            { origin: location.origin, accessKey: '<ACCESS_KEY>' },
            made.key,
          )}
        />
      </div>
    </Dialog>
  );
}
