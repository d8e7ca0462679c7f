/** `Shop-keys-2030-01-31.csv`: only characters that every file system accepts. */
export const fileName = (parts: readonly string[], extension: string): string =>
  `${parts.join('-').replace(/[^\p{L}\p{N}._-]+/gu, '-')}.${extension}`;
