import type { Broken, ChainReport } from '../../../features/audit/index.ts';
import { printable } from '../../terminal/cell.ts';

const rows = (n: number): string => `${n.toLocaleString('en-GB')} ${n === 1 ? 'row' : 'rows'}`;

/** Describes the verified rows, or the first broken row and the reason. */
export function chainReportText({ proven, head, unsealed, broken }: ChainReport): string {
  if (broken !== null)
    return [
      `Broken: ${brokenText(broken)}`,
      broken.position === null
        ? `The chain itself is intact: ${rows(proven)} verified.`
        : `Before it, ${rows(proven)} verified. Later rows were not checked.`,
    ].join('\n');
  const newest = unsealed.newest.map(printable).join(', ');
  const more = unsealed.count > unsealed.newest.length ? ', …' : '';
  const tail = unsealed.count === 0 ? '' : ` (newest first: ${newest}${more})`;
  return [
    `${rows(proven)} verified, ${unsealed.count.toLocaleString('en-GB')} unsealed${tail}`,
    ...(proven === 0 ? [] : [`head ${head.position}:${head.hash}`]),
  ].join('\n');
}

function brokenText(broken: Broken): string {
  const row = broken.id === null ? 'the row' : `row ${printable(broken.id)}`;
  const place = `at position ${broken.position}`;
  const after = broken.after === null ? 'the first row' : `after ${printable(broken.after)}`;
  switch (broken.fault) {
    case 'changed':
      return `${row} ${place} does not match its seal: one of them was changed.`;
    case 'row missing':
      return `${row} ${place}, ${after}, is missing, but its seal exists.`;
    case 'seal missing':
      return broken.id === null
        ? `the seal ${place} is missing, and so is its row, ${after}.`
        : `the seal of ${row} ${place} is missing.`;
    case 'out of order':
      return `${row} is ${place}, where ${printable(broken.belongs ?? '')} belongs: the order was changed.`;
    case 'inserted':
      return `${row} has no seal and cannot get one: another program inserted it, or removed its seal.`;
    case 'head not found':
      return `the chain does not contain the given head ${place}: its end was removed, or the chain was rebuilt.`;
  }
}
