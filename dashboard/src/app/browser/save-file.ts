/** Hands a text to the browser as a file to keep. Parts, so that a long one is never one string. */
export function saveFile(name: string, type: string, parts: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // After the browser has taken hold of it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
