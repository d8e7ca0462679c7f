import { useNavigate } from '@tanstack/react-router';
import type { ApiKey } from 'keyward';
import { Button } from '../../../components/buttons/button.tsx';
import { SecretOnce } from '../../../components/display/secret-once.tsx';
import { Snippets } from '../../../components/display/snippets.tsx';
import { ShownOnceDialog } from '../../../components/overlays/shown-once-dialog.tsx';
import { validateSnippets } from '../../../text/call-snippets.ts';

interface NewValueProps {
  readonly title: string;
  /** Contains the full value, from the state of the dialog that created it. */
  readonly apiKey: ApiKey;
  onClose(): void;
}

/** The value, shown once. Only `Done` and `View key` close the dialog without a warning. */
export function NewValue({ title, apiKey, onClose }: NewValueProps) {
  const navigate = useNavigate();
  const openKey = () =>
    navigate({
      to: '/p/$projectId/keys/$keyId',
      params: { projectId: apiKey.projectId, keyId: apiKey.id },
      ignoreBlocker: true,
    });
  return (
    <ShownOnceDialog
      onClose={onClose}
      what="This value"
      advice="Copy it before you close this dialog. If you lose it, rotate the key."
      title={title}
      description={apiKey.name}
      actions={<Button onClick={openKey}>View key</Button>}
    >
      <div className="flex flex-col gap-4">
        <SecretOnce what="API key" value={apiKey.key} />
        <Snippets
          label="Validate the key"
          snippets={validateSnippets(
            { origin: location.origin, accessKey: '<ACCESS_KEY>' },
            apiKey.key,
          )}
        />
      </div>
    </ShownOnceDialog>
  );
}
