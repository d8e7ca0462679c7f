import { Button } from '../../../components/buttons/button.tsx';
import { SecretOnce } from '../../../components/display/secret-once.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';

interface NewSecretProps {
  readonly title: string;
  readonly name: string;
  readonly secret: string;
  /** The old one still signs beside it. */
  readonly rotated?: boolean;
  onClose(): void;
}

/** The signing secret of a webhook, this once, with the code that verifies what it signs. */
export function NewSecret({ title, name, secret, rotated, onClose }: NewSecretProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      size="md"
      closesOnBackdrop={false}
      title={title}
      description={name}
      footer={
        <Button kind="solid" onClick={onClose}>
          I have copied it
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        {rotated && (
          <Notice title="Both secrets sign for 24 hours">
            Each delivery carries two signatures until then, so nothing is lost while you change it.
            Until then it cannot be rotated again.
          </Notice>
        )}
        <SecretOnce
          what="signing secret"
          value={secret}
          kept="Keyward keeps it encrypted to sign with, and never shows it again."
          example={{ label: 'Verify a delivery (JavaScript)', code: SNIPPET }}
        />
        <p className="text-muted text-sm">
          Signed as Standard Webhooks says: its libraries for Python, Go, Ruby, Java, PHP and Rust
          verify it too. An event may come twice; <code>webhook-id</code> is the same on every
          attempt.
        </p>
      </div>
    </Dialog>
  );
}

const SNIPPET = `import { verifyWebhook } from 'keyward';

export async function POST(request) {
  // Over the body as it came: parse it afterwards, never before.
  const event = await verifyWebhook({
    body: await request.text(),
    headers: request.headers,
    secret: process.env.KEYWARD_WEBHOOK_SECRET,
  }); // throws when it is not ours, was changed, or is old
  if (event.type === 'api-key.deleted') await forget(event.data.id);
  return new Response(null, { status: 204 });
}`;
