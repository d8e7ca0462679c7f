/** Downloads a text as a file. Takes parts, so that a long text is never one string. */
export function saveFile(name: string, type: string, parts: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser may still be reading the URL.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
