import { CopyButton } from '../buttons/copy-button.tsx';
import { Notice } from '../feedback/notice.tsx';
import { CodeBlock } from './code-block.tsx';

interface SecretOnceProps {
  /** `API key`, `access key`, `signing secret`. */
  readonly what: string;
  readonly value: string;
  /** A request that can be run unchanged. */
  readonly example?: { readonly label: string; readonly code: string };
}

/**
 * A value that is shown only once. It is passed as a prop from the state of the dialog that created
 * it and is gone when that closes. It is never in the query cache, a URL or storage.
 */
export function SecretOnce({ what, value, example }: SecretOnceProps) {
  return (
    <div className="flex flex-col gap-4">
      <Notice tone="warn" title={`Copy this ${what} now`}>
        It is shown only once. If it is lost, it must be replaced.
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
