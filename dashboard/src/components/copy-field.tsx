import { CopyButton } from './copy-button.tsx';

interface CopyFieldProps {
  readonly value: string;
  readonly label?: string;
}

/** An id or value that is there to be copied. */
export function CopyField({ value, label = 'Copy' }: CopyFieldProps) {
  return (
    <span className="flex min-w-0 items-center gap-1 rounded-md border border-line bg-sunken pl-3">
      <code className="min-w-0 flex-1 select-all truncate">{value}</code>
      <CopyButton text={value} label={label} />
    </span>
  );
}
