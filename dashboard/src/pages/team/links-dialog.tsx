import type { CreatedInvitation } from '../../api/records.ts';
import { Button } from '../../components/buttons/button.tsx';
import { CopyField } from '../../components/buttons/copy-button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';

interface LinksDialogProps {
  readonly invitations: readonly CreatedInvitation[];
  onClose(): void;
}

/** Where no e-mail is sent, whoever invites passes the links on. */
export function LinksDialog({ invitations, onClose }: LinksDialogProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      closesOnBackdrop={false}
      size="md"
      title="Send them their links"
      footer={
        <Button kind="solid" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Notice tone="warn" title="Copy them now">
          They are shown this once. Whoever has a link can join with it: send each to its person
          alone.
        </Notice>
        {invitations.map(({ id, email, link }) => (
          <div key={id} data-secret className="flex flex-col gap-1">
            <span className="font-medium text-sm">{email}</span>
            {link === null ? (
              <span className="text-muted">Sent by e-mail.</span>
            ) : (
              <CopyField value={link} label={`Copy the link for ${email}`} />
            )}
          </div>
        ))}
      </div>
    </Dialog>
  );
}
