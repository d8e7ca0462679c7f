import type { ComponentPropsWithoutRef } from 'react';

interface ButtonProps extends ComponentPropsWithoutRef<'button'> {
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  /** An action is running: the button keeps the focus, but does nothing. */
  readonly busy?: boolean;
}

export function Button({ kind = 'plain', busy = false, onClick, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      className={`kw-button kw-button-${kind}`}
      {...(busy && { 'aria-disabled': true, 'aria-busy': true })}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}
