import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { runToEnd } from '../../harness/child.ts';
import { GO_ENV, go, ROOT } from '../clients/client-driver.ts';

export const CHART = join(ROOT, 'deploy/helm/keyward');
const RENDERER = fileURLToPath(new URL('helm', import.meta.url));

export type Values = Record<string, unknown>;
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has another shape, which its model checks.
  readonly spec?: any;
}

export const readChart = (file: string) => parse(readFileSync(join(CHART, file), 'utf8'));

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As Helm merges given values into those of the chart. */
function merged(base: Values, given: Values): Values {
  const all = { ...base };
  for (const [name, value] of Object.entries(given)) {
    const before = all[name];
    all[name] = isObject(value) && isObject(before) ? merged(before, value) : value;
  }
  return all;
}

/** Renders the chart with Go's templates, which Helm uses too. */
export class HelmChart {
  readonly #folder = mkdtempSync(join(tmpdir(), 'keyward-helm-'));
  readonly #hasValidValues: ValidateFunction;

  constructor() {
    const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
    this.#hasValidValues = new Ajv({ strict: false }).compile(schema);
  }

  async build(): Promise<void> {
    // Without modules: the libraries are those that Debian installs.
    const env = { ...GO_ENV, GO111MODULE: 'off', GOFLAGS: '', GOPATH: '/usr/share/gocode' };
    const output = ['-o', join(this.#folder, 'render')];
    await runToEnd(go(), ['build', ...output, 'render.go'], RENDERER, env);
  }

  /** Rejects with the reason if the chart refuses the values. */
  async render(
    given: Values = {},
    release = 'keyward',
    releasedImage?: string,
  ): Promise<{ manifests: Manifest[]; notes: string }> {
    const values = merged(readChart('values.yaml'), given);
    if (!this.#hasValidValues(values))
      throw new Error(JSON.stringify(this.#hasValidValues.errors, null, 1));
    const { name, version, appVersion, annotations } = readChart('Chart.yaml');
    if (releasedImage !== undefined) annotations['keyward/image'] = releasedImage;
    const data = {
      Values: values,
      Chart: { Name: name, Version: version, AppVersion: appVersion, Annotations: annotations },
      Release: { Name: release, Namespace: 'apps', Service: 'Helm' },
    };
    const { 'NOTES.txt': notes = '', ...files } = await this.#run(data);
    const documents = Object.values(files).flatMap((file) => parseAllDocuments(file));
    for (const { errors } of documents) if (errors[0]) throw errors[0];
    return { manifests: documents.map((one) => one.toJS()).filter((one) => one !== null), notes };
  }

  async #run(data: object): Promise<Record<string, string>> {
    const child = spawn(join(this.#folder, 'render'), [CHART], { stdio: 'pipe' });
    child.stdin.end(JSON.stringify(data));
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (error !== '') throw new Error(error);
    return JSON.parse(out);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
