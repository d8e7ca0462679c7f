/** Displays a shortcut: `g k`, or `mod+k` (⌘ on a Mac, Ctrl elsewhere). */
export function Kbd({ keys }: { readonly keys: string }) {
  return (
    <span className="inline-flex items-center gap-1">
      {keys.split(' ').map((stroke) => (
        <kbd
          key={stroke}
          className="inline-flex h-5 min-w-5 items-center justify-center whitespace-nowrap rounded border border-line-strong bg-surface px-1 font-sans text-muted text-xs"
        >
          {strokeText(stroke)}
        </kbd>
      ))}
    </span>
  );
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

const strokeText = (stroke: string): string =>
  stroke.replace('mod+', isMac ? '⌘' : 'Ctrl ').replace(/.$/, (key) => key.toUpperCase());
