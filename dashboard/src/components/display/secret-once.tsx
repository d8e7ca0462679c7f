import { CopyButton } from '../buttons/copy-button.tsx';
import { Notice } from '../feedback/notice.tsx';
import { CodeBlock } from './code-block.tsx';

interface SecretOnceProps {
  /** `API key`, `access key`, `signing secret`. */
  readonly what: string;
  readonly value: string;
  /** Why it cannot be shown again; a value of ours is kept only as a hash. */
  readonly kept?: string;
  /** A call that works as it stands. */
  readonly example?: { readonly label: string; readonly code: string };
}

/**
 * A value that is shown here and nowhere again. It comes in as a property from the state of the
 * dialog that made it, and goes when that closes: never through the query cache, a URL or storage.
 */
export function SecretOnce({ what, value, example, kept = HASHED }: SecretOnceProps) {
  return (
    <div className="flex flex-col gap-4">
      <Notice tone="warn" title={`Copy this ${what} now`}>
        It is shown only once. {kept}
      </Notice>
      <div className="flex flex-col gap-2 rounded-lg border border-line-strong bg-sunken p-3 sm:flex-row sm:items-center">
        <code data-secret className="min-w-0 flex-1 select-all break-all font-medium">
          {value}
        </code>
        <CopyButton text={value} label={`Copy ${what}`} wide />
      </div>
      {example && <CodeBlock {...example} />}
    </div>
  );
}

const HASHED = 'Keyward stores only a hash and cannot show it again.';
