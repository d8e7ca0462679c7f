const STEPS = [1, 2, 2.5, 5, 10];

/** Round numbers from 0 to at least `highest`, about five of them. */
export function ticksUpTo(highest: number): number[] {
  if (!(highest > 0)) return [0, 1];
  const rough = highest / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * STEPS.find((factor) => factor * power >= rough * 0.999)!;
  const count = Math.ceil(highest / step - 0.001);
  return Array.from({ length: count + 1 }, (_, n) => Number((n * step).toPrecision(6)));
}
