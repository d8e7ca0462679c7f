import type { AccessKey } from '../../api/records.ts';
import { useProject } from '../../app/current.ts';
import { Button } from '../../components/buttons/button.tsx';
import { SecretOnce } from '../../components/display/secret-once.tsx';
import { Dialog, shownOnce } from '../../components/overlays/dialog.tsx';
import { exampleCall } from './example-call.ts';

interface NewValueProps {
  readonly title: string;
  /** As it was answered: with the whole value. */
  readonly made: AccessKey;
  onClose(): void;
}

/** The value of an access key, this once, with a call to try it. */
export function NewValue({ title, made, onClose }: NewValueProps) {
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
      description={made.name}
      footer={
        <Button kind="solid" onClick={onClose}>
          Done
        </Button>
      }
    >
      <SecretOnce
        what="access key"
        value={made.key}
        example={exampleCall(made.key, made.scopes, made.projectId ?? project.id)}
      />
    </Dialog>
  );
}
