/** The surfaces of react.css on which text in the accent color must be readable. */
const SURFACES = { light: '#ffffff', dark: '#16171a' };
/** WCAG AA for text. */
const CONTRAST_MIN = 4.5;
const STEPS = 40;

type Rgb = readonly [number, number, number];

const parse = (hex: string): Rgb => {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

const toHex = (color: Rgb): string =>
  `#${color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

const mix = (a: Rgb, b: Rgb, share: number): Rgb => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
  a[2] + (b[2] - a[2]) * share,
];

/** Relative luminance, as WCAG defines it. */
function luminance(color: Rgb): number {
  const [r, g, b] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: Rgb, b: Rgb): number {
  const [lighter, darker] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Darkens or lightens a color in small steps until it is readable on the surface. */
function readableOn(color: Rgb, surface: Rgb): Rgb {
  const towards: Rgb = luminance(surface) > 0.5 ? [0, 0, 0] : [255, 255, 255];
  for (let step = 0; step < STEPS; step++) {
    // Rounded as it will be written, so that the result itself has the contrast.
    const candidate = parse(toHex(mix(color, towards, step / STEPS)));
    if (contrast(candidate, surface) >= CONTRAST_MIN) return candidate;
  }
  return towards;
}

/** White if it is readable on the color, otherwise black. One of the two always is. */
const textOn = (color: Rgb): Rgb =>
  contrast(color, [255, 255, 255]) >= CONTRAST_MIN ? [255, 255, 255] : [0, 0, 0];

/**
 * The accent color of a project as custom properties for react.css, adjusted so that text in it and
 * on it is readable in both color schemes. Undefined for text that is not `#rrggbb`.
 */
export function accentProperties(color: string | null): Record<string, string> | undefined {
  if (color === null || !/^#[0-9a-f]{6}$/i.test(color)) return undefined;
  const properties: Record<string, string> = {};
  for (const [scheme, surface] of Object.entries(SURFACES)) {
    const accent = readableOn(parse(color), parse(surface));
    properties[`--kw-brand-${scheme}`] = toHex(accent);
    properties[`--kw-on-brand-${scheme}`] = toHex(textOn(accent));
  }
  return properties;
}
