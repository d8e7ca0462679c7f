import { cx } from '../cx.ts';

const COLORS = [
  'bg-accent-soft text-accent',
  'bg-good-soft text-good',
  'bg-warn-soft text-warn',
  'bg-bad-soft text-bad',
];

/** Initials on a color that depends only on the name. No picture is loaded. */
export function Avatar({ name }: { readonly name: string }) {
  const sum = [...name].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return (
    <span
      aria-hidden
      className={cx(
        'inline-flex size-7 shrink-0 select-none items-center justify-center rounded-full font-semibold text-xs uppercase',
        COLORS[sum % COLORS.length],
      )}
    >
      {initials(name)}
    </span>
  );
}

function initials(name: string): string {
  const words = name.split(/[\s.@_-]+/u).filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => [...word][0])
    .join('');
}
