/**
 * Every response has this header: a browser must not take the text of an error for a page or a script. Code
 * that writes responses adds it, so that no route can forget it.
 */
export const NO_SNIFFING = ['x-content-type-options', 'nosniff'] as const;

/** For responses that are written as text. */
export const NO_SNIFFING_LINE = `${NO_SNIFFING.join(': ')}\r\n`;
