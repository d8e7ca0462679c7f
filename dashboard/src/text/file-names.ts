/** `Shop-keys-2030-01-31.csv`: letters and digits that every file system takes. */
export const fileName = (parts: readonly string[], extension: string): string =>
  `${parts.join('-').replace(/[^\p{L}\p{N}._-]+/gu, '-')}.${extension}`;
