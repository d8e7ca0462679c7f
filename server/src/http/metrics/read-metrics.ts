import { Counter, Gauge, type Registry } from 'prom-client';

/** Adds the gauge `keyward_<name>`, which is read when metrics are collected. */
export function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name: `keyward_${name}`,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}

/** Adds the counter `keyward_<name>_total`, which is read when metrics are collected. */
export function addCounter(
  registry: Registry,
  name: string,
  help: string,
  read: () => number,
): void {
  new Counter({
    name: `keyward_${name}_total`,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/** The same with the label `outcome`. */
export function addOutcomeCounter(
  registry: Registry,
  name: string,
  help: string,
  read: () => Readonly<Record<string, number>>,
): void {
  new Counter({
    name: `keyward_${name}_total`,
    help,
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(read())) this.inc({ outcome }, count);
    },
  });
}
