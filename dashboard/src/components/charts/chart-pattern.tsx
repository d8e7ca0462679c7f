import { readSetting, writeSetting } from '../../app/browser/settings-store.ts';
import { FILLS, type Series, STROKES } from './chart-series.ts';

/** Set in the settings, or by a system that prefers more contrast. */
export const patternsAreOn = (): boolean =>
  readSetting('chartPatterns') === 'on' || matchMedia('(prefers-contrast: more)').matches;

export const setPatterns = (on: boolean): void => writeSetting('chartPatterns', on ? 'on' : null);

/**
 * The fill of a series, used as `fill="url(#id)"`: solid, or with lines and dots, so that series can
 * be distinguished without color.
 */
export function ChartPattern({
  id,
  color,
}: {
  readonly id: string;
  readonly color: Series['color'];
}) {
  return (
    <pattern
      id={id}
      width="6"
      height="6"
      patternUnits="userSpaceOnUse"
      patternTransform={ROTATIONS[color]}
    >
      {color === 1 || !patternsAreOn() ? (
        <rect width="6" height="6" className={FILLS[color]} />
      ) : (
        <>
          <rect width="6" height="6" className={FILLS[color]} opacity="0.55" />
          {color % 2 === 0 ? (
            <path d="M0 3h6" strokeWidth="2.5" className={STROKES[color]} />
          ) : (
            <circle cx="3" cy="3" r="1.7" className={FILLS[color]} />
          )}
        </>
      )}
    </pattern>
  );
}

const ROTATIONS: Record<Series['color'], string> = {
  1: '',
  2: 'rotate(45)',
  3: '',
  4: 'rotate(-45)',
  5: 'rotate(45)',
  6: 'rotate(90)',
  7: 'rotate(20)',
  8: '',
  9: 'rotate(70)',
  10: 'rotate(25)',
  11: 'rotate(15)',
};
