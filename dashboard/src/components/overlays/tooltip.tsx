import * as Radix from '@radix-ui/react-tooltip';
import type { ReactNode } from 'react';
import { Kbd } from '../buttons/kbd.tsx';
import { usePortalContainer } from './portal-container.ts';

export const TooltipProvider = Radix.Provider;

interface TooltipProps {
  readonly text: ReactNode;
  readonly keys?: string;
  /** One focusable element. */
  readonly children: ReactNode;
}

/** Additional information about a control. Never the only place where it is given. */
export function Tooltip({ text, keys, children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal container={usePortalContainer()}>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex max-w-72 animate-appear items-center gap-2 rounded-md bg-solid px-2 py-1 text-on-solid text-xs shadow-float"
        >
          {text}
          {keys && <Kbd keys={keys} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
