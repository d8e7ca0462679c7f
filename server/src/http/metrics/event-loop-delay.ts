import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

type Monitor = ReturnType<typeof monitorEventLoopDelay>;

const WINDOW_MS = 15_000;

/**
 * Event-loop delay of the last 15 to 30 s. A timer resets two monitors in turn. Reading the metrics resets
 * nothing, because several collectors read them and each must get the whole window.
 */
export class EventLoopDelay {
  /** The older one first. */
  #monitors: readonly [Monitor, Monitor];
  readonly #rotating: NodeJS.Timeout;

  constructor() {
    const start = () => {
      const monitor = monitorEventLoopDelay({ resolution: 10 });
      monitor.enable();
      return monitor;
    };
    this.#monitors = [start(), start()];
    this.#rotating = setInterval(() => this.rotate(), WINDOW_MS).unref();
  }

  close(): void {
    clearInterval(this.#rotating);
    for (const monitor of this.#monitors) monitor.disable();
  }

  rotate(): void {
    const [older, newer] = this.#monitors;
    older.reset();
    this.#monitors = [newer, older];
  }

  register(registry: Registry): void {
    const read = () => this.#monitors[0];
    new Gauge({
      name: 'keyward_event_loop_delay_seconds',
      help: 'Event-loop delay of the last 15 to 30 seconds.',
      // Not `quantile`, which is reserved for summaries.
      labelNames: ['percentile'],
      registers: [registry],
      collect() {
        const monitor = read();
        this.set({ percentile: '50' }, monitor.percentile(50) / 1e9);
        this.set({ percentile: '99' }, monitor.percentile(99) / 1e9);
        this.set({ percentile: '100' }, monitor.max / 1e9);
      },
    });
  }
}
