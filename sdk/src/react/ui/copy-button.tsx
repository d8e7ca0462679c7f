import { type MouseEvent, useEffect, useState } from 'react';
import { usePortal } from '../state/context.ts';
import { Button } from './button.tsx';

const SHOWN_MS = 2_000;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const { messages } = usePortal();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      if (!copyWithSelection(text, currentTarget)) return;
    }
    setCopied(true);
  };
  return (
    <>
      <Button onClick={copy}>{copied ? messages.copied : label}</Button>
      <span className="kw-hidden" role="status">
        {copied ? messages.copied : ''}
      </span>
    </>
  );
}

/** For pages without the clipboard API: over plain HTTP, and in frames without its permission. */
function copyWithSelection(text: string, button: HTMLButtonElement): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'kw-hidden';
  // Inside the dialog, because nothing outside of it can be selected.
  button.after(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  button.focus();
  return isCopied;
}
