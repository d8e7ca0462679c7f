import { useEffect, useState } from 'react';
import { announce } from '../components/feedback/announcer.tsx';

/** Copies a text; says so for two seconds, and to screen readers. */
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
        copyWithSelection(text);
      }
      setCopied(true);
      announce('Copied');
    },
  };
}

/** Over plain http, which a first try on a machine in the house is, there is no clipboard API. */
function copyWithSelection(text: string): void {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'sr-only';
  // Inside the open dialog: outside it nothing can be selected.
  const host = document.querySelector('dialog[open]') ?? document.body;
  const before = document.activeElement;
  host.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
}
