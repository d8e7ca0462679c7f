import type { CreatedInvitation } from 'keyward';
import { CopyField } from '../../components/buttons/copy-button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { ShownOnceDialog } from '../../components/overlays/shown-once-dialog.tsx';

interface LinksDialogProps {
  readonly invitations: readonly CreatedInvitation[];
  onClose(): void;
}

/** Without email, the user who invites passes the links on. */
export function LinksDialog({ invitations, onClose }: LinksDialogProps) {
  return (
    <ShownOnceDialog
      onClose={onClose}
      what="These links"
      advice="Copy them before you close this dialog. If you lose one, create a new link."
      title="Invitation links"
    >
      <div className="flex flex-col gap-4">
        <Notice tone="warn" title="Copy these links now">
          They are shown only once. Anyone who has a link can join with it, so send each link only
          to its recipient.
        </Notice>
        {invitations.map(({ id, email, link }) => (
          <div key={id} data-secret className="flex flex-col gap-1">
            <span className="font-medium text-sm">{email}</span>
            {link === null ? (
              <span className="text-muted">Sent by email.</span>
            ) : (
              <CopyField value={link} label={`Copy link for ${email}`} />
            )}
          </div>
        ))}
      </div>
    </ShownOnceDialog>
  );
}
