// Separate from the schemas: the CLI needs these, but not the libraries that schemas import.

export const IMPORT_ROWS_MAX = 1000;
/** A thousand typical rows, or 20 of the largest, which have about 50 KB. */
export const IMPORT_BODY_BYTES_MAX = 1024 * 1024;
