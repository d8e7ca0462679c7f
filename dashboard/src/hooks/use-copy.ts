import { useEffect, useState } from 'react';
import { announce } from '../components/feedback/announcer.tsx';

/** Copies a text. `copied` is true for two seconds, and screen readers are notified. */
export function useCopy(): { readonly copied: boolean; copy(text: string): Promise<void> } {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  return {
    copied,
    async copy(text) {
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        if (!copyWithSelection(text)) return announce('Not copied. Select the text and copy it.');
      }
      setCopied(true);
      announce('Copied');
    },
  };
}

/** If the browser denies access to the clipboard API. */
function copyWithSelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'sr-only';
  // Inside the open dialog, because nothing outside it can be selected.
  const host = document.querySelector('dialog[open]') ?? document.body;
  const before = document.activeElement;
  host.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
