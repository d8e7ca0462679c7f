import { Check, Copy } from 'lucide-react';
import { useCopy } from '../../hooks/use-copy.ts';
import { cx } from '../cx.ts';
import { Button } from './button.tsx';
import { IconButton } from './icon-button.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** For example `Copy ID`. */
  readonly label?: string;
  /** Shows the label beside the icon. */
  readonly wide?: boolean;
}

export function CopyButton({ text, label = 'Copy', wide }: CopyButtonProps) {
  const { copied, copy } = useCopy();
  const icon = copied ? <Check className="text-good!" /> : <Copy />;
  if (wide) {
    return (
      <Button icon={icon} onClick={() => copy(text)}>
        {copied ? 'Copied' : label}
      </Button>
    );
  }
  return (
    <IconButton label={copied ? 'Copied' : label} onClick={() => copy(text)}>
      {icon}
    </IconButton>
  );
}

interface CopyFieldProps {
  readonly value: string;
  /** Wraps a long value, for values that may have to be typed. */
  readonly wraps?: boolean;
  readonly label?: string;
}

/** An id or value with a button that copies it. */
export function CopyField({ value, label = 'Copy', wraps }: CopyFieldProps) {
  return (
    <span className="flex min-w-0 items-center gap-1 rounded-md border border-line bg-sunken pl-3">
      <code className={cx('min-w-0 flex-1 select-all', wraps ? 'break-all py-1' : 'truncate')}>
        {value}
      </code>
      <CopyButton text={value} label={label} />
    </span>
  );
}
