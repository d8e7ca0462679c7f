import { Command } from 'cmdk';
import type { ReactNode } from 'react';
import { Kbd } from '../../components/buttons/kbd.tsx';

export const PaletteGroup = ({ heading, children }: { heading: string; children: ReactNode }) => (
  <Command.Group
    heading={heading}
    className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-faint [&_[cmdk-group-heading]]:text-xs"
  >
    {children}
  </Command.Group>
);

interface PaletteItemProps {
  readonly icon?: ReactNode;
  readonly keys?: string;
  readonly value?: string;
  /** Small text after the name; empty parts are omitted. */
  readonly detail?: readonly (string | null | undefined)[];
  onSelect(): void;
  readonly children: ReactNode;
}

export const PaletteItem = ({
  icon,
  keys,
  value,
  detail,
  onSelect,
  children,
}: PaletteItemProps) => (
  <Command.Item
    {...(value !== undefined && { value })}
    onSelect={onSelect}
    className="flex min-h-9 cursor-default items-center gap-3 rounded-md px-2.5 data-[selected=true]:bg-hover [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted"
  >
    {icon}
    <span className="min-w-0 flex-1 truncate">{children}</span>
    {detail && (
      <span className="max-w-[50%] truncate max-sm:max-w-[36%] text-faint text-sm">
        {detail.filter(Boolean).join(' · ')}
      </span>
    )}
    {keys && <Kbd keys={keys} />}
  </Command.Item>
);
