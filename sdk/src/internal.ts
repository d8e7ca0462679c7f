/** What the edge of the server is made of. Not for applications: it can change in every version. */
export { type Admission, Breaker } from './http/breaker.ts';
export { isLocal } from './local/conditions.ts';
export { type Counted, Decider, type Decision } from './local/decider.ts';
export { Entry } from './local/entry.ts';
export { EventParser } from './local/stream/event-parser.ts';
export { canBeKey } from './validation/batches.ts';
