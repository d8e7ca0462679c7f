import { Check, Copy } from 'lucide-react';
import { useCopy } from '../hooks/use-copy.ts';
import { Button } from './button.tsx';
import { IconButton } from './icon-button.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied: `Copy id`. */
  readonly label?: string;
  /** With its label beside the icon. */
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
