/**
 * Text of a customer's own as a header can carry it: printable ASCII as it is, everything else and
 * `%` itself percent-encoded, so that `decodeURIComponent` gives the text back. Nothing that ends a
 * line gets through. A space at either end would be cut off on the way, so it is encoded too.
 */
export const headerText = (text: string): string =>
  text.toWellFormed().replace(/^ | $|%|[^ -~]/gu, encodeURIComponent);

/** JSON in ASCII: what is not stands there in JSON's own escapes, and is the same to any reader. */
export const headerJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
