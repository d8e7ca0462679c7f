import { CopyButton } from '../../components/buttons/copy-button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { ShownOnceDialog } from '../../components/overlays/shown-once-dialog.tsx';

interface RecoveryCodesDialogProps {
  readonly codes: readonly string[];
  onClose(): void;
}

export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  return (
    <ShownOnceDialog
      onClose={onClose}
      what="These codes"
      advice="Copy them before you close this dialog. If you lose them, create new codes."
      title="Recovery codes"
      size="sm"
      actions={<CopyButton text={codes.join('\n')} label="Copy all" wide />}
    >
      <div className="flex flex-col gap-4">
        <Notice tone="warn" title="Store these codes somewhere other than your phone">
          Each code lets you sign in once without your authenticator app. They are shown only once.
        </Notice>
        <ul
          data-secret
          className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-lg border border-line bg-sunken p-4"
        >
          {codes.map((code) => (
            <li key={code}>
              <code className="select-all">{code}</code>
            </li>
          ))}
        </ul>
      </div>
    </ShownOnceDialog>
  );
}
