import { eraseApiKey } from '../../api/api-keys.ts';
import type { ApiKey } from '../../api/records.ts';
import { Confirm } from '../../components/confirm.tsx';
import { toast } from '../../components/toasts.tsx';

interface EraseKeyProps {
  readonly apiKey: ApiKey;
  onClose(): void;
  onErased(): Promise<unknown>;
}

const TYPED_MAX = 60;

export function EraseKey({ apiKey, onClose, onErased }: EraseKeyProps) {
  const name = apiKey.name.trim();
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Erase “${apiKey.name}” for ever?`}
      consequences="The key and its usage are deleted, and calls with it are refused. Nothing brings it back. The audit log keeps its record, masked. If you only want to stop it, revoke it."
      action="Erase for ever"
      danger
      typeToConfirm={name === '' || name.length > TYPED_MAX ? 'erase' : name}
      onConfirm={async () => {
        await eraseApiKey(apiKey.id, onErased);
        toast({ text: `“${apiKey.name}” is erased.` });
      }}
    />
  );
}
