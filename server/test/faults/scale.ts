/** `npm run test:faults` runs the full figures; `npm test` as many as leave it quick. */
export const isFull = process.env.KEYWARD_FAULTS === 'full';

export const scaled = (full: number, quick: number): number => (isFull ? full : quick);

/** For a test of its own length: the full figures take as long as they take. */
export const timeoutMs = scaled(3_600_000, 240_000);

/** One line for each figure, as the tests print them. */
export const figure = (n: number): string => n.toLocaleString('en');
