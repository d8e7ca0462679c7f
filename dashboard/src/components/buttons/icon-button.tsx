import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import { Tooltip } from '../overlays/tooltip.tsx';
import type { ButtonProps } from './button.tsx';

interface IconButtonProps
  extends Omit<ButtonProps, 'children' | 'icon' | 'kind' | 'busy' | 'size'> {
  /** Accessible name and tooltip. */
  readonly label: string;
  readonly keys?: string;
  readonly children: ReactNode;
}

export function IconButton({ label, keys, children, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} {...(keys !== undefined && { keys })}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={cx(
          'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted transition-colors duration-100 hover:bg-hover hover:text-ink active:bg-pressed disabled:opacity-55 [&_svg]:size-4',
          className,
        )}
      >
        {children}
      </button>
    </Tooltip>
  );
}
