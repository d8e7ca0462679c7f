import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { cx } from '../cx.ts';
import { Spinner } from '../feedback/loading.tsx';

export type ButtonKind = 'solid' | 'outline' | 'quiet' | 'danger';

const KINDS: Record<ButtonKind, string> = {
  solid: 'bg-solid text-on-solid hover:bg-solid-hover shadow-raised',
  outline:
    'border border-line-strong bg-surface text-ink hover:bg-hover active:bg-pressed shadow-raised',
  quiet: 'text-muted hover:bg-hover hover:text-ink active:bg-pressed',
  danger: 'bg-bad-solid text-on-bad hover:bg-bad-solid-hover shadow-raised',
};

const SIZES = {
  sm: 'h-7 gap-1.5 rounded-md px-2.5 text-sm',
  md: 'h-8 gap-2 rounded-md px-3 text-sm',
  lg: 'h-10 gap-2 rounded-lg px-4 text-base',
};

export const buttonClass = (kind: ButtonKind = 'outline', size: keyof typeof SIZES = 'md') =>
  cx(
    'inline-flex shrink-0 select-none items-center justify-center whitespace-nowrap font-medium transition-colors duration-100 aria-disabled:opacity-55 disabled:opacity-55',
    KINDS[kind],
    SIZES[size],
  );

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: ButtonKind;
  readonly size?: keyof typeof SIZES;
  readonly icon?: ReactNode;
  /** An action is in progress: shows a spinner and ignores clicks. */
  readonly busy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind, size, icon, busy, children, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      // Not `disabled`, which would remove the button from the tab order and lose the focus.
      aria-disabled={busy || rest['aria-disabled']}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
      className={cx(buttonClass(kind, size), '[&_svg]:size-4', className)}
    >
      {busy ? <Spinner label="Working…" /> : icon}
      {children}
    </button>
  );
}
