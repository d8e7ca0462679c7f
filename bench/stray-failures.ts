/**
 * What a scenario that failed leaves under way (load on a server that is gone, say) fails too, with
 * nobody to hear of it. That is said, and does not end the run: what is awaited later still throws.
 */
export function outliveStrayFailures(): void {
  process.on('unhandledRejection', (error) => {
    console.error('left behind:', error instanceof Error ? error.message : error);
  });
}
