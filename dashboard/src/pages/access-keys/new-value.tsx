import type { AccessKey } from 'keyward';
import { useProject } from '../../app/current.ts';
import { SecretOnce } from '../../components/display/secret-once.tsx';
import { ShownOnceDialog } from '../../components/overlays/shown-once-dialog.tsx';
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
    <ShownOnceDialog
      onClose={onClose}
      what="This value"
      advice="Copy it before you close this dialog. If you lose it, rotate the access key."
      title={title}
      description={accessKey.name}
    >
      <SecretOnce
        what="access key"
        value={accessKey.key}
        example={exampleCall(accessKey.key, accessKey.scopes, accessKey.projectId ?? project.id)}
      />
    </ShownOnceDialog>
  );
}
