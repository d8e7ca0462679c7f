interface SparklineProps {
  /** What it says, in words: `1,204 validations in 7 days, most on Monday`. */
  readonly label: string;
  readonly values: readonly number[];
}

const WIDTH = 96;
const HEIGHT = 24;

export function Sparkline({ label, values }: SparklineProps) {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map(
    (value, i) => `${i * step},${HEIGHT - 2 - (HEIGHT - 4) * (value / most)}`,
  );
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="h-6 w-24">
      <polyline
        points={points.join(' ')}
        fill="none"
        strokeWidth="1.5"
        strokeLinejoin="round"
        className="stroke-chart-1"
      />
    </svg>
  );
}
