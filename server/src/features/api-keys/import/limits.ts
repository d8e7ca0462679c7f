// Apart from the schemas: the command line needs these, and not the libraries behind those.

export const IMPORT_ROWS_MAX = 1000;
/** A thousand ordinary rows, or a good many of the largest: one row is at most some 50 KB. */
export const IMPORT_BODY_BYTES_MAX = 1024 * 1024;
