/**
 * Puts text between `<!-- NAME:begin -->` and `<!-- NAME:end -->` of a page, in place of what is
 * there. A page without the marks is not ours to write into.
 */
export function betweenMarkers(page: string, name: string, text: string): string {
  const begin = `<!-- ${name}:begin -->`;
  const end = `<!-- ${name}:end -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`The page has no place for ${name}.`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
