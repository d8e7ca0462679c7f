export const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);

/** Colours that can be told apart without seeing red and green, on white and on GitHub's dark. */
const STYLE = `
  text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: 600; }
  .small { font-size: 11px; fill: #59636e; }
  .over { paint-order: stroke; stroke: #ffffff; stroke-width: 3; stroke-linejoin: round; }
  .grid { stroke: #d1d9e0; stroke-width: 1; }
  .ours { fill: #0969da; } .theirs { fill: #9aa4af; }
  .whisker { stroke: #1f2328; stroke-width: 1; }
  .s0 { stroke: #0969da; } .s1 { stroke: #bc4c00; } .s2 { stroke: #1a7f37; }
  .d0 { fill: #0969da; } .d1 { fill: #bc4c00; } .d2 { fill: #1a7f37; }
  .line { fill: none; stroke-width: 2; }
  .flame0 { fill: #ffd8a8; } .flame1 { fill: #ffc078; } .flame2 { fill: #ffe8cc; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .small { fill: #9198a1; }
    .over { stroke: #0d1117; }
    .grid { stroke: #3d444d; }
    .ours { fill: #4493f8; } .theirs { fill: #656c76; }
    .whisker { stroke: #e6edf3; }
    .s0 { stroke: #4493f8; } .s1 { stroke: #f0883e; } .s2 { stroke: #3fb950; }
    .d0 { fill: #4493f8; } .d1 { fill: #f0883e; } .d2 { fill: #3fb950; }
    .flame0 { fill: #6b3d10; } .flame1 { fill: #7d4a17; } .flame2 { fill: #59330d; }
  }`;

/** A picture that follows the reader's theme and needs nothing from elsewhere. */
export const svgPage = (
  { width, height, title }: { width: number; height: number; title: string },
  content: readonly string[],
): string => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<title>${escapeXml(title)}</title>
<style>${STYLE}
</style>
${content.join('\n')}
</svg>
`;

export const text = (
  x: number,
  y: number,
  said: string,
  { kind = '', anchor = 'start' }: { kind?: string; anchor?: 'start' | 'middle' | 'end' } = {},
): string =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${kind && ` class="${kind}"`}>${escapeXml(said)}</text>`;

export const round = (value: number): number => Math.round(value * 10) / 10;

/** 12,300 rather than 12345.678. */
export const told = (value: number): string =>
  Number(value.toPrecision(3)).toLocaleString('en-GB', { maximumFractionDigits: 3 });
