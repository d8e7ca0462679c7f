import { Button } from '../../components/buttons/button.tsx';
import { CopyButton } from '../../components/buttons/copy-button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';

interface RecoveryCodesDialogProps {
  readonly codes: readonly string[];
  onClose(): void;
}

export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      closesOnBackdrop={false}
      title="Your recovery codes"
      footer={
        <>
          <CopyButton text={codes.join('\n')} label="Copy all" wide />
          <Button kind="solid" onClick={onClose}>
            I have kept them
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Notice tone="warn" title="Keep them where your phone is not">
          Each lets you in once without the authenticator. They are shown this once.
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
    </Dialog>
  );
}
