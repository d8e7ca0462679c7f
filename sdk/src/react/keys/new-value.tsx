import type { PortalApiKey } from '../client/records.ts';
import { usePortal } from '../state/context.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';

export interface NewValueProps {
  readonly title: string;
  /** With the whole value. It is held only by this dialog and is gone when it closes. */
  readonly apiKey: PortalApiKey;
  /** URL of the API in the example. */
  readonly apiUrl: string;
  onClose(): void;
}

/** Shows the value of a new key once. Only `Done` closes it without a warning. */
export function NewValue({ title, apiKey, apiUrl, onClose }: NewValueProps) {
  const { newValue, done } = usePortal().messages;
  const curl = `curl ${shellQuoted(apiUrl)} -H 'x-api-key: ${apiKey.key}'`;
  return (
    <Dialog
      title={title}
      description={apiKey.name}
      onClose={onClose}
      closeWarning={{
        title: newValue.closeTitle,
        text: newValue.closeText,
        leave: newValue.closeAnyway,
      }}
      footer={() => (
        <Button kind="primary" onClick={onClose}>
          {done}
        </Button>
      )}
    >
      <Notice tone="warn" title={newValue.copyNow}>
        {newValue.once}
      </Notice>
      <div className="kw-value">
        <code data-secret>{apiKey.key}</code>
        <CopyButton text={apiKey.key} label={newValue.copyKey} />
      </div>
      <figure className="kw-example">
        <figcaption>
          {newValue.example}
          <CopyButton text={curl} label={newValue.copyExample} />
        </figcaption>
        <pre>
          <code>{curl}</code>
        </pre>
      </figure>
    </Dialog>
  );
}

/** The value of a key has only characters that are safe in quotes; a URL may have others. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
