import { useId, useState } from 'react';
import { useElementWidth } from '../../hooks/use-element-width.ts';
import { shortNumber, wholeNumber } from '../../text/numbers.ts';
import { ChartFrame } from './chart-frame.tsx';
import { ChartPattern } from './chart-pattern.tsx';
import { axisTicks, type Reference, type Series } from './chart-series.ts';

interface TimeSeriesChartProps {
  /** Accessible name. */
  readonly label: string;
  /** Starts of the buckets, in milliseconds. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** For the tooltip and the table: `12 Jan 14:00`. */
  nameOf(time: number): string;
  /** For the axis: `14:00`. */
  tickOf(time: number): string;
  /** Values to compare with, as a line over the bars. */
  readonly reference?: Reference | undefined;
}

const HEIGHT = 220;
const LEFT = 44;
const BOTTOM = 24;
const TOP = 8;
/** Half the width of the longest label on the axis, so that the last one is not cut off. */
const LABEL_HALF = 22;

/**
 * Bars over time, stacked by series. A bucket is selected with the mouse, or with the arrow keys: a
 * native slider is the cursor, so screen readers read the values.
 */
export function TimeSeriesChart(props: TimeSeriesChartProps) {
  const { label, times, series, nameOf, tickOf, reference } = props;
  const id = useId();
  const { ref, width } = useElementWidth();
  const [at, setAt] = useState<number | null>(null);
  const totals = times.map((_, i) => series.reduce((all, { values }) => all + (values[i] ?? 0), 0));
  const ticks = axisTicks(Math.max(0, ...totals, ...(reference?.values ?? [])));
  const top = ticks.at(-1)!;
  const plotHeight = HEIGHT - BOTTOM - TOP;
  const step = Math.max(0, width - LEFT) / Math.max(1, times.length);
  const y = (value: number) => TOP + plotHeight * (1 - value / top);
  const rowsAt = (index: number) =>
    [...series, ...(reference ? [reference] : [])].map(
      (one) => [one.label, one.values[index] ?? 0] as const,
    );
  const valueText = (index: number) =>
    `${nameOf(times[index]!)}: ${rowsAt(index)
      .map(([name, value]) => `${name} ${wholeNumber(value)}`)
      .join(', ')}`;

  return (
    <ChartFrame label={label} series={series} names={times.map(nameOf)} reference={reference}>
      <div
        ref={ref}
        className="relative has-focus-visible:rounded has-focus-visible:outline-2 has-focus-visible:outline-focus"
        onPointerMove={(event) => {
          const x = event.clientX - event.currentTarget.getBoundingClientRect().left - LEFT;
          const index = Math.floor(x / step);
          setAt(index >= 0 && index < times.length ? index : null);
        }}
        onPointerLeave={() => setAt(null)}
      >
        <svg aria-hidden="true" width={width} height={HEIGHT} className="block">
          <defs>
            {series.map(({ id: one, color }) => (
              <ChartPattern key={one} id={`${id}${one}`} color={color} />
            ))}
          </defs>
          {ticks.map((tick) => (
            <g key={tick}>
              <line x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} className="stroke-line" />
              <text
                x={LEFT - 8}
                y={y(tick) + 4}
                textAnchor="end"
                className="fill-faint text-[11px] tabular-nums"
              >
                {shortNumber(tick)}
              </text>
            </g>
          ))}
          {at !== null && (
            <rect
              x={LEFT + at * step}
              y={TOP}
              width={step}
              height={plotHeight}
              className="fill-hover"
            />
          )}
          {times.map((time, index) => (
            <Bar
              key={time}
              x={LEFT + index * step}
              step={step}
              parts={series.map((one) => ({
                fill: `${id}${one.id}`,
                value: one.values[index] ?? 0,
              }))}
              y={y}
            />
          ))}
          {reference && (
            <ReferenceLine
              points={times.map((_, i) => [LEFT + (i + 0.5) * step, y(reference.values[i] ?? 0)])}
            />
          )}
          {labelledTimes(times.map(tickOf), width - LEFT).map((index) => (
            <text
              key={index}
              x={Math.min(LEFT + (index + 0.5) * step, width - LABEL_HALF)}
              y={HEIGHT - 6}
              textAnchor="middle"
              className="fill-faint text-[11px]"
            >
              {tickOf(times[index]!)}
            </text>
          ))}
        </svg>
        <input
          type="range"
          className="sr-only"
          min={0}
          max={Math.max(0, times.length - 1)}
          value={at ?? times.length - 1}
          aria-label={`${label}: point in time`}
          aria-valuetext={times.length > 0 ? valueText(at ?? times.length - 1) : 'No data'}
          onChange={(event) => setAt(Number(event.target.value))}
          onFocus={() => setAt((now) => now ?? times.length - 1)}
          onBlur={() => setAt(null)}
        />
        {at !== null && times[at] !== undefined && (
          <ChartTooltip
            title={nameOf(times[at])}
            rows={rowsAt(at)}
            left={LEFT + (at + 0.5) * step}
            width={width}
          />
        )}
      </div>
    </ChartFrame>
  );
}

/** Drawn with an outline, so that it is visible over bars of any color. */
function ReferenceLine({ points }: { readonly points: readonly (readonly number[])[] }) {
  const line = { points: points.join(' '), fill: 'none' };
  return (
    <g data-reference>
      <polyline {...line} strokeWidth="4" className="stroke-surface" />
      <polyline {...line} strokeWidth="2" strokeDasharray="5 3" className="stroke-ink" />
    </g>
  );
}

interface BarProps {
  readonly x: number;
  readonly step: number;
  readonly parts: readonly { readonly fill: string; readonly value: number }[];
  y(value: number): number;
}

function Bar({ x, step, parts, y }: BarProps) {
  const gap = step > 6 ? Math.min(4, step * 0.2) : 0.5;
  let below = 0;
  return (
    <g>
      {parts.map(({ fill, value }) => {
        // Most outcomes are rare. An empty part needs no element.
        if (value === 0) return null;
        const bottom = below;
        below += value;
        // At least 1.5 pixels, so that one refusal among a million valid requests is visible.
        const barHeight = Math.max(1.5, y(bottom) - y(below));
        return (
          <rect
            key={fill}
            x={x + gap / 2}
            y={y(bottom) - barHeight}
            width={Math.max(0.5, step - gap)}
            height={barHeight}
            fill={`url(#${fill})`}
          />
        );
      })}
    </g>
  );
}

/** Positions where the label changes (a new day, a new hour), thinned out so that labels do not overlap. */
function labelledTimes(texts: readonly string[], width: number): number[] {
  const changes = texts.map((_, index) => index).filter((i) => i > 0 && texts[i] !== texts[i - 1]);
  const room = Math.max(1, Math.floor(width / 80));
  const every = Math.max(1, Math.ceil(changes.length / room));
  return changes.filter((_, index) => index % every === 0);
}

interface ChartTooltipProps {
  readonly title: string;
  readonly rows: readonly (readonly [string, number])[];
  readonly left: number;
  readonly width: number;
}

function ChartTooltip({ title, rows, left, width }: ChartTooltipProps) {
  const onRight = left < width / 2;
  return (
    <div
      aria-hidden
      style={onRight ? { left: left + 12 } : { right: width - left + 12 }}
      className="pointer-events-none absolute top-2 z-10 min-w-40 rounded-lg bg-raised px-3 py-2 text-sm shadow-float"
    >
      <p className="mb-1 font-medium">{title}</p>
      {rows.map(([label, value]) => (
        <p key={label} className="flex justify-between gap-6">
          <span className="text-muted">{label}</span>
          <span className="tabular-nums">{wholeNumber(value)}</span>
        </p>
      ))}
    </div>
  );
}
