import { FILLS, type Series, STROKES } from './chart-series.ts';

/**
 * The texture of a series: plain for the first, lines and dots for others, so that they differ
 * without their colour too. Used as `fill="url(#id)"`.
 */
export function ChartPattern({
  id,
  colour,
}: {
  readonly id: string;
  readonly colour: Series['colour'];
}) {
  return (
    <pattern
      id={id}
      width="6"
      height="6"
      patternUnits="userSpaceOnUse"
      patternTransform={TURNS[colour]}
    >
      {colour === 1 ? (
        <rect width="6" height="6" className={FILLS[1]} />
      ) : (
        <>
          <rect width="6" height="6" className={FILLS[colour]} opacity="0.55" />
          {colour % 2 === 0 ? (
            <path d="M0 3h6" strokeWidth="2.5" className={STROKES[colour]} />
          ) : (
            <circle cx="3" cy="3" r="1.7" className={FILLS[colour]} />
          )}
        </>
      )}
    </pattern>
  );
}

const TURNS: Record<Series['colour'], string> = {
  1: '',
  2: 'rotate(45)',
  3: '',
  4: 'rotate(-45)',
  5: 'rotate(45)',
  6: 'rotate(90)',
  7: 'rotate(20)',
};
