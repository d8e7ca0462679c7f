import { FastHistogram, figuresFor, type HistogramFigures } from './fast-histogram.ts';

const BOUNDS_MS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1000];

export const VALIDATION_TIMES_FIGURES = figuresFor(BOUNDS_MS);

/** How long validations took on one thread. */
export const validationTimes = (figures?: HistogramFigures): FastHistogram =>
  new FastHistogram(BOUNDS_MS, figures);
