import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findOnPath } from '../../../../scripts/test-tools.ts';
import { freePort } from '../../harness/free-port.ts';

interface Alert {
  readonly labels: { readonly alertname: string };
  readonly annotations: { readonly summary: string; readonly description: string };
  readonly state: 'pending' | 'firing';
}

/** A real Prometheus, which reads metrics every second. */
export class TestPrometheus {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #url: string;

  private constructor(process: ChildProcess, folder: string, url: string) {
    this.#process = process;
    this.#folder = folder;
    this.#url = url;
  }

  static async start(target: string, rules: string): Promise<TestPrometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'keyward-prometheus-'));
    writeFileSync(join(folder, 'rules.yml'), rules);
    writeFileSync(
      join(folder, 'prometheus.yml'),
      `global: { scrape_interval: 1s, evaluation_interval: 250ms }
rule_files: [rules.yml]
scrape_configs:
  - job_name: keyward
    static_configs: [{ targets: ['${target}'] }]
`,
    );
    const address = `127.0.0.1:${await freePort()}`;
    const command = process.env.PROMETHEUS_PATH ?? findOnPath(['prometheus'])!;
    const args = [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ];
    const child = spawn(command, args, { stdio: 'ignore' });
    const prometheus = new TestPrometheus(child, folder, `http://${address}`);
    while (!(await prometheus.#isReady())) await sleep(50);
    return prometheus;
  }

  async alert(name: string): Promise<Alert | undefined> {
    const { alerts } = await this.#get<{ alerts: Alert[] }>('/api/v1/alerts');
    return alerts.find(({ labels }) => labels.alertname === name);
  }

  /** The number of series in the result of a query. */
  async query(expression: string): Promise<number> {
    const path = `/api/v1/query?query=${encodeURIComponent(expression)}`;
    return (await this.#get<{ result: unknown[] }>(path)).result.length;
  }

  async close(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
    rmSync(this.#folder, { recursive: true });
  }

  async #get<T>(path: string): Promise<T> {
    const response = await fetch(this.#url + path);
    const body: { data: T; error?: string } = JSON.parse(await response.text());
    if (response.status !== 200) throw new Error(`${path}: ${body.error}`);
    return body.data;
  }

  async #isReady(): Promise<boolean> {
    return fetch(`${this.#url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }
}
