const VALIDATION = '/api-keys/auth/';

/**
 * The URL of a validation whose value is not percent-encoded correctly, so that the value is read as it is.
 * It is then unknown like any other text that is not a key; the router alone would reject the path.
 */
export function withReadableValue(url: string): string {
  if (!url.startsWith(VALIDATION) || !url.includes('%')) return url;
  const [path = '', ...query] = url.split(/(?=\?)/);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('');
  }
}
