/** The one entry of this folder: see README.md beside it. */

export { type FastHistogram, validationTimes } from './fast-histogram.ts';
export { answeringFirst } from './fast-path.ts';
export { RawConnections } from './raw-connections.ts';
export { Validations } from './validations.ts';
