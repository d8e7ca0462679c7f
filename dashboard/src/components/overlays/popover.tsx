import * as Radix from '@radix-ui/react-popover';
import { type ReactNode, useState } from 'react';
import { usePortalContainer } from './portal-container.ts';

interface PopoverProps {
  /** The button that opens it. */
  readonly trigger: ReactNode;
  readonly label: string;
  children(close: () => void): ReactNode;
}

/** A small form beside the button that opens it. The page stays usable, unlike with a dialog. */
export function Popover({ trigger, label, children }: PopoverProps) {
  const [open, setOpen] = useState(false);
  return (
    <Radix.Root open={open} onOpenChange={setOpen}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={usePortalContainer()}>
        <Radix.Content
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
          className="z-40 w-72 max-w-[calc(100vw-1rem)] animate-appear rounded-lg bg-raised p-3 shadow-float"
        >
          {children(() => setOpen(false))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
