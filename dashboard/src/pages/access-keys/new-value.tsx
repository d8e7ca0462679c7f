import type { AccessKey } from '../../api/records.ts';
import { useProject } from '../../app/current.ts';
import { Button } from '../../components/buttons/button.tsx';
import { SecretOnce } from '../../components/display/secret-once.tsx';
import { Dialog, shownOnce } from '../../components/overlays/dialog.tsx';
import { exampleCall } from './example-call.ts';

interface NewValueProps {
  readonly title: string;
  /** Contains the full value. */
  readonly accessKey: AccessKey;
  onClose(): void;
}

/** The value of an access key, shown once, with a request to try it. */
export function NewValue({ title, accessKey, onClose }: NewValueProps) {
  const project = useProject();
  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={shownOnce(
        'This value',
        'Copy it before you close this dialog. If you lose it, rotate the access key.',
      )}
      size="md"
      closesOnBackdrop={false}
      title={title}
      description={accessKey.name}
      footer={
        <Button kind="solid" onClick={onClose}>
          Done
        </Button>
      }
    >
      <SecretOnce
        what="access key"
        value={accessKey.key}
        example={exampleCall(accessKey.key, accessKey.scopes, accessKey.projectId ?? project.id)}
      />
    </Dialog>
  );
}
