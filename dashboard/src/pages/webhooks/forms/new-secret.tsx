import { SecretOnce } from '../../../components/display/secret-once.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { ShownOnceDialog } from '../../../components/overlays/shown-once-dialog.tsx';

interface NewSecretProps {
  readonly title: string;
  readonly name: string;
  readonly secret: string;
  /** The secret was rotated: for 24 hours, deliveries are also signed with the old one. */
  readonly rotated?: boolean;
  onClose(): void;
}

/** The signing secret of a webhook, shown once, with code that verifies a delivery. */
export function NewSecret({ title, name, secret, rotated, onClose }: NewSecretProps) {
  return (
    <ShownOnceDialog
      onClose={onClose}
      what="This secret"
      advice="Copy it before you close this dialog. If you lose it, rotate the secret."
      title={title}
      description={name}
    >
      <div className="flex flex-col gap-4">
        {rotated && (
          <Notice title="Both secrets are valid for 24 hours">
            Each delivery has two signatures for 24 hours, so nothing is lost while you replace the
            old secret. After that, you can rotate the secret again.
          </Notice>
        )}
        <SecretOnce
          what="signing secret"
          value={secret}
          example={{ label: 'Verify a delivery (JavaScript)', code: SNIPPET }}
        />
        <p className="text-muted text-sm">
          Signatures follow the Standard Webhooks specification, so its libraries for Python, Go,
          Ruby, Java, PHP and Rust can verify them too. An event may be delivered more than once;{' '}
          <code>webhook-id</code> is the same on every attempt.
        </p>
      </div>
    </ShownOnceDialog>
  );
}

const SNIPPET = `import { verifyWebhook } from 'keyward';

export async function POST(request) {
  // Verify the raw body. Parse it only afterwards.
  const event = await verifyWebhook({
    body: await request.text(),
    headers: request.headers,
    secret: process.env.KEYWARD_WEBHOOK_SECRET,
  }); // throws if the signature is invalid or too old
  if (event.type === 'api-key.deleted') await forget(event.data.id);
  return new Response(null, { status: 204 });
}`;
