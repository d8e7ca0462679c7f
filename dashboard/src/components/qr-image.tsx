import { qrCode } from '../qr/qr-code.ts';

const QUIET = 4;

/** Always dark on light: cameras expect it so, whatever the theme. */
export function QrImage({ text, label }: { readonly text: string; readonly label: string }) {
  const grid = qrCode(text);
  if (grid === null) return null;
  const { size, isDark } = grid;
  const path = Array.from(
    { length: size ** 2 },
    (_, i) => [i % size, Math.floor(i / size)] as const,
  )
    .filter(([x, y]) => isDark(x, y))
    .map(([x, y]) => `M${x + QUIET} ${y + QUIET}h1v1h-1z`)
    .join('');
  const side = size + 2 * QUIET;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${side} ${side}`}
      shapeRendering="crispEdges"
      className="size-44 rounded-lg"
    >
      <rect width={side} height={side} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}
