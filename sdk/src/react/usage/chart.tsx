import { useId, useState } from 'react';
import { usePortal } from '../state/context.ts';
import type { UsageBucket } from './ranges.ts';

interface ChartProps {
  readonly buckets: readonly UsageBucket[];
  /** `Jan 12, 2030`. */
  nameOf(at: number): string;
  /** On the axis: `Jan 12`. */
  tickOf(at: number): string;
}

/** Height of the `viewBox`. CSS stretches the drawing to the size of its element. */
const HEIGHT = 100;
const BAR_SHARE = 0.72;
/** So that a single rejected request is visible beside thousands of accepted ones. */
const BAR_MIN = 1;

/**
 * Bars over time, stacked. A bucket is chosen with the mouse, or with the arrow keys: a native slider
 * is the cursor, so that screen readers read the values.
 */
export function Chart({ buckets, nameOf, tickOf }: ChartProps) {
  const { messages, format } = usePortal();
  const { usage } = messages;
  const pattern = useId();
  const [chosen, setChosen] = useState<number | null>(null);
  const last = buckets.length - 1;
  const top = Math.max(1, ...buckets.map(({ accepted, rejected }) => accepted + rejected));
  const heightOf = (count: number) =>
    count === 0 ? 0 : Math.max(BAR_MIN, (count / top) * (HEIGHT - 2 * BAR_MIN));
  const textAt = (index: number) => {
    const { at, accepted, rejected } = buckets[index]!;
    return `${nameOf(at)}: ${usage.accepted} ${format.number(accepted)}, ${usage.rejected} ${format.number(rejected)}`;
  };
  return (
    <div className="kw-chart">
      <p className="kw-chart-value" aria-hidden="true">
        {chosen === null ? usage.highest(format.number(top)) : textAt(chosen)}
      </p>
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${buckets.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        onPointerMove={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          const index = Math.floor(((event.clientX - left) / width) * buckets.length);
          setChosen(Math.min(last, Math.max(0, index)));
        }}
        onPointerLeave={() => setChosen(null)}
      >
        <defs>
          {/* The series differ in texture too, not only in color. */}
          <pattern
            id={pattern}
            width={BAR_SHARE}
            height="4"
            patternUnits="userSpaceOnUse"
            className="kw-rejected"
          >
            <rect width={BAR_SHARE} height="2.4" fill="currentColor" />
          </pattern>
        </defs>
        {buckets.map(({ at, accepted, rejected }, index) => {
          const x = index + (1 - BAR_SHARE) / 2;
          const [low, high] = [heightOf(accepted), heightOf(rejected)];
          return (
            <g key={at}>
              {index === chosen && (
                <rect className="kw-cursor" x={index} width="1" height={HEIGHT} />
              )}
              <rect className="kw-accepted" x={x} y={HEIGHT - low} width={BAR_SHARE} height={low} />
              <rect
                x={x}
                y={HEIGHT - low - high}
                width={BAR_SHARE}
                height={high}
                fill={`url(#${pattern})`}
              />
            </g>
          );
        })}
      </svg>
      <div className="kw-ticks" aria-hidden="true">
        {[0, Math.floor(last / 2), last].map((index) => (
          <span key={index}>{tickOf(buckets[index]!.at)}</span>
        ))}
      </div>
      <input
        type="range"
        className="kw-hidden"
        min={0}
        max={last}
        value={chosen ?? last}
        aria-label={usage.point}
        aria-valuetext={textAt(chosen ?? last)}
        onChange={(event) => setChosen(Number(event.target.value))}
        onFocus={() => setChosen((now) => now ?? last)}
        onBlur={() => setChosen(null)}
      />
    </div>
  );
}
