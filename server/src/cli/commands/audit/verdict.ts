import type { Broken, Verdict } from '../../../features/audit/index.ts';
import { printable } from '../../terminal/cell.ts';

const rows = (n: number): string => `${n.toLocaleString('en-GB')} ${n === 1 ? 'row' : 'rows'}`;

/** For a person: what is proven, or the first row that is not and why. */
export function verdictText({ proven, head, unsealed, broken }: Verdict): string {
  if (broken !== null)
    return [
      `Broken: ${brokenText(broken)}`,
      broken.position === null
        ? `Proven by the chain, which holds: ${rows(proven)}.`
        : `Proven before that: ${rows(proven)}. What follows was not looked at.`,
    ].join('\n');
  const newest = unsealed.newest.map(printable).join(', ');
  const more = unsealed.count > unsealed.newest.length ? ', …' : '';
  const tail = unsealed.count === 0 ? '' : ` (newest first: ${newest}${more})`;
  return [
    `${rows(proven)} proven, ${unsealed.count.toLocaleString('en-GB')} unsealed${tail}`,
    ...(proven === 0 ? [] : [`head ${head.position}:${head.hash}`]),
  ].join('\n');
}

function brokenText(broken: Broken): string {
  const row = broken.id === null ? 'the row' : `row ${printable(broken.id)}`;
  const place = `at position ${broken.position}`;
  const after = broken.after === null ? 'the first of all' : `after ${printable(broken.after)}`;
  switch (broken.fault) {
    case 'changed':
      return `${row} ${place} is not what was sealed there: it or its seal was changed.`;
    case 'row missing':
      return `${row} ${place}, ${after}, is gone. Its seal is still there.`;
    case 'seal missing':
      return `the seal ${place} is gone, ${broken.id === null ? `and its row, ${after}` : `that of ${row}`}.`;
    case 'out of order':
      return `${row} stands ${place}, where ${printable(broken.belongs ?? '')} belongs: the order was changed.`;
    case 'slipped in':
      return `${row} has no seal though later rows have: it was put in afterwards.`;
    case 'not listed':
      return `${row} is as it was sealed, but no longer entered where lists look for it: they leave it out.`;
    case 'head not found':
      return `the chain does not hold the given head ${place}: its end was cut off, or it was made anew.`;
  }
}
