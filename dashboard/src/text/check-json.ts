export type CheckedJson =
  | { readonly ok: true; readonly value: Record<string, unknown>; readonly bytes: number }
  | { readonly ok: false; readonly message: string; readonly line: number | null };

/** Limits of `customMetaData`. */
export const METADATA_BYTES_MAX = 16 * 1024;
const METADATA_DEPTH_MAX = 32;

/** Parses metadata and checks its limits, or gives the error and its line. Empty text is `{}`. */
export function checkJson(text: string): CheckedJson {
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    return { ok: false, ...located(text, (error as Error).message) };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return wrong('Enter a JSON object: { "name": "value" }');
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  if (bytes > METADATA_BYTES_MAX)
    return wrong(`Too large: ${bytes} bytes. The maximum is ${METADATA_BYTES_MAX} bytes.`);
  if (depthOf(value) > METADATA_DEPTH_MAX)
    return wrong(`Nested more than ${METADATA_DEPTH_MAX} levels deep`);
  return { ok: true, value: value as Record<string, unknown>, bytes };
}

const wrong = (message: string): CheckedJson => ({ ok: false, message, line: null });

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** Browsers give the position of an error differently: as a line, as an offset, or not at all. */
function located(text: string, message: string): { message: string; line: number | null } {
  const atEnd = /end of (JSON|data|input)|EOF/i.test(message);
  const line = lineOf(text, message, atEnd);
  const what = atEnd ? 'The JSON is incomplete' : 'Invalid JSON';
  return { message: line === null ? what : `${what}. Check line ${line}.`, line };
}

function lineOf(text: string, message: string, atEnd: boolean): number | null {
  const line = /line (\d+)/.exec(message)?.[1];
  if (line) return Number(line);
  const position = /position (\d+)/.exec(message)?.[1];
  if (position) return text.slice(0, Number(position)).split('\n').length;
  const lines = text.split('\n').length;
  return atEnd || lines === 1 ? lines : null;
}

export const formatJson = (value: unknown): string => JSON.stringify(value, null, 2);
