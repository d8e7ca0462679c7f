export interface TypedEmails {
  readonly emails: readonly string[];
  readonly wrong: readonly string[];
}

/** Parses typed or pasted addresses, separated by commas, spaces or new lines, or as `Ada <ada@example.com>`. */
export function readEmails(text: string): TypedEmails {
  const words = text
    .replaceAll(/[^<>,;\n]*<([^<>]*)>/g, ' $1 ')
    .split(/[\s,;]+/)
    .filter(Boolean);
  const found = [...new Set(words.map((word) => word.toLowerCase()))];
  const isEmail = (word: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(word);
  return { emails: found.filter(isEmail), wrong: found.filter((word) => !isEmail(word)) };
}
