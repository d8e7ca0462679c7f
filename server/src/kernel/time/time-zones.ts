/// <reference lib="esnext.temporal" />

/** Whether this is an IANA time zone name. Offsets like `+02:00` are rejected: they ignore daylight saving. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    Temporal.Now.zonedDateTimeISO(text);
    return true;
  } catch {
    return false;
  }
}
