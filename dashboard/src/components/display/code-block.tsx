import { CopyButton } from '../buttons/copy-button.tsx';

interface CodeBlockProps {
  readonly code: string;
  /** Caption, such as `curl` or `Response`. */
  readonly label: string;
}

export function CodeBlock({ code, label }: CodeBlockProps) {
  return (
    <figure className="min-w-0 overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex h-8 items-center justify-between border-line border-b pl-3 text-faint text-xs">
        {label}
        <CopyButton text={code} label={`Copy ${label}`} />
      </figcaption>
      {/* A block that scrolls must be reachable by keyboard. */}
      <pre className="overflow-x-auto p-3 text-sm leading-relaxed" tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
