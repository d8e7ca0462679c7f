import type { ApiKey } from 'keyward';
import { eraseApiKey } from '../../../api/api-keys.ts';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Confirm } from '../../../components/overlays/confirm.tsx';
import { EditKeyDialog } from './edit-key-dialog.tsx';
import { ReactivateKeys, RevokeKeys } from './revoke-keys.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

export type KeyDialog = 'edit' | 'rotate' | 'revoke' | 'reactivate' | 'erase';

interface KeyDialogsProps {
  readonly open: KeyDialog | null;
  readonly apiKey: ApiKey;
  onClose(): void;
  /** Leaves the page that shows the key. */
  onErased(): Promise<unknown>;
}

/** The dialogs of one key, for its page and for its row in the list. */
export function KeyDialogs({ open, apiKey, onClose, onErased }: KeyDialogsProps) {
  switch (open) {
    case 'edit':
      return <EditKeyDialog apiKey={apiKey} onClose={onClose} />;
    case 'rotate':
      return <RotateKeyDialog apiKey={apiKey} onClose={onClose} />;
    case 'revoke':
      return <RevokeKeys keys={[apiKey]} onClose={onClose} />;
    case 'reactivate':
      return <ReactivateKeys keys={[apiKey]} onClose={onClose} />;
    case 'erase':
      return <EraseKey apiKey={apiKey} onClose={onClose} onErased={onErased} />;
    case null:
      return null;
  }
}

interface EraseKeyProps {
  readonly apiKey: ApiKey;
  onClose(): void;
  onErased(): Promise<unknown>;
}

const TYPED_NAME_MAX = 60;

function EraseKey({ apiKey, onClose, onErased }: EraseKeyProps) {
  const name = apiKey.name.trim();
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Delete “${apiKey.name}” permanently?`}
      consequences="The key and its usage data are deleted, and requests with it are refused. This cannot be undone. The audit log keeps a masked record. If you only want to stop the key, revoke it instead."
      action="Delete permanently"
      danger
      typeToConfirm={name === '' || name.length > TYPED_NAME_MAX ? 'delete' : name}
      onConfirm={async () => {
        await eraseApiKey(apiKey.id, onErased);
        toast({ text: `“${apiKey.name}” was deleted permanently.` });
      }}
    />
  );
}
