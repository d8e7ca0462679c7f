import * as Radix from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import { usePortalContainer } from './portal-container.ts';

interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactNode;
  readonly align?: 'start' | 'end';
  readonly label?: string;
  readonly defaultOpen?: boolean;
  readonly children: ReactNode;
}

export function Menu({ trigger, align = 'end', label, defaultOpen, children }: MenuProps) {
  return (
    // Not modal: a modal menu locks scrolling with a style element, which the CSP blocks.
    <Radix.Root modal={false} {...(defaultOpen && { defaultOpen })}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={usePortalContainer()}>
        <Radix.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
          className="z-40 max-h-(--radix-dropdown-menu-content-available-height) min-w-52 max-w-80 animate-appear overflow-y-auto rounded-lg bg-raised p-1 shadow-float"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface MenuItemProps {
  onSelect(): void;
  readonly icon?: ReactNode;
  readonly danger?: boolean;
  readonly checked?: boolean;
  readonly children: ReactNode;
}

export function MenuItem({ icon, danger, checked, children, ...rest }: MenuItemProps) {
  return (
    <Radix.Item
      {...rest}
      aria-current={checked ? 'true' : undefined}
      className={cx(
        'flex min-h-8 cursor-default select-none items-center gap-2.5 rounded-md px-2.5 py-1 text-sm outline-none data-[highlighted]:bg-hover [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted',
        danger && 'text-bad [&_svg]:text-bad',
      )}
    >
      {icon}
      <span className="min-w-0 flex-1">{children}</span>
    </Radix.Item>
  );
}

export const MenuSeparator = () => <Radix.Separator className="my-1 h-px bg-line" />;

export const MenuLabel = ({ children }: { readonly children: ReactNode }) => (
  <Radix.Label className="px-2.5 pt-1.5 pb-1 text-faint text-xs">{children}</Radix.Label>
);
