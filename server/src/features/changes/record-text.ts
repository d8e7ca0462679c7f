let last: object | undefined;
let lastText = '';

/** A change tells the same record in its event and its audit row: it is written out once. */
export function recordText(record: object): string {
  if (record !== last) {
    lastText = JSON.stringify(record);
    last = record;
  }
  return lastText;
}
