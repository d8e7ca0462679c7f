import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runToEnd } from '../../harness/child.ts';
import { ROOT } from '../clients/client-driver.ts';
import { TSC } from '../packages/packed-project.ts';
import { CHART, HelmChart, type Manifest, readChart, type Values } from './helm-chart.ts';

interface Model {
  is(value: unknown): boolean;
  new (manifest: Manifest): { validate(): void };
}

/** From the packages of this folder, which are absent when `npm test` checks the types. */
const load = (module: string): Promise<Record<string, Model>> => import(module);
const MODELS = Object.assign(
  {},
  ...(await Promise.all(
    [
      '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor',
      ...['apps/v1', 'networking.k8s.io/v1', 'policy/v1', 'v1'].map(
        (group) => `kubernetes-models/${group}`,
      ),
    ].map(load),
  )),
) as Record<string, Model>;

const TYPES = `
import type { IServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import type { IDaemonSet, IDeployment } from 'kubernetes-models/apps/v1';
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1';
import type { IPersistentVolumeClaim, IService, IServiceAccount } from 'kubernetes-models/v1';
// @ts-expect-error: an unknown field is found at any depth
export const wrong: IService = { apiVersion: 'v1', kind: 'Service', spec: { ports: [{ port: 80, potocol: 'TCP' }] } };
`;

const chart = new HelmChart();
beforeAll(() => chart.build());
afterAll(() => chart.remove());

const from = (name: string, key: string) => ({ name, key });
const POSTGRES = {
  KEYWARD_SECRET: from('keyward', 'secret'),
  KEYWARD_DATABASE_URL: from('postgres', 'url'),
};
const CLUSTER: Values = {
  replicas: 3,
  settings: {
    KEYWARD_PUBLIC_URL: 'https://keys.example.com',
    KEYWARD_CACHE_MB: 512,
    KEYWARD_MANAGEMENT_LIMIT: 2_000_000,
  },
  secrets: { ...POSTGRES, KEYWARD_REDIS_URL: from('valkey', 'url') },
};
const FILES = {
  NODE_EXTRA_CA_CERTS: from('postgres-ca', 'ca.crt'),
  KEYWARD_GITHUB_KEYS: from('github', 'keys.json'),
};
const EVERYTHING: Values = {
  ...CLUSTER,
  files: FILES,
  image: { repository: 'registry.example.com/keyward', tag: '1.2.3' },
  imagePullSecrets: [{ name: 'registry' }],
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' },
    host: 'keys.example.com',
    tlsSecret: 'keys-tls',
  },
  metrics: { serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } },
  edge: {
    enabled: true,
    accessKey: { name: 'keyward-edge' },
    trust: true,
    onUnavailable: 'serve-known',
    nodeSelector: { role: 'api' },
    tolerations: [{ operator: 'Exists' }],
  },
  podAnnotations: { 'example.com/team': 'platform' },
  nodeSelector: { role: 'keys' },
  tolerations: [{ key: 'keys', operator: 'Exists' }],
};

const GUIDE = readFileSync(join(ROOT, 'docs/guides/kubernetes.md'), 'utf8');
const VARIANTS: Record<string, Values> = {
  'the default values': {},
  'an existing claim': { persistence: { existingClaim: 'mine' } },
  'a storage class': { persistence: { storageClass: 'fast', size: '100Gi' } },
  'a cluster': CLUSTER,
  everything: EVERYTHING,
  'the values of the guide': parse(/```yaml\n(# values\.yaml\n.*?)```/s.exec(GUIDE)![1]!),
  'an affinity': { ...CLUSTER, affinity: { podAntiAffinity: {} } },
};

const named = (manifests: readonly Manifest[]) =>
  manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
const only = (manifests: readonly Manifest[], kind: string) =>
  manifests.filter((one) => one.kind === kind)[0]!;

it.each(Object.entries(VARIANTS))('%s: Kubernetes accepts every object', async (_, values) => {
  const { manifests, notes } = await chart.render(values, 'prod');
  for (const manifest of manifests) {
    const Model = MODELS[manifest.kind]!;
    expect(Model, manifest.kind).toBeDefined();
    expect(Model.is(manifest)).toBe(true);
    expect(() => new Model(manifest).validate()).not.toThrow();
    expect(manifest.metadata.labels['app.kubernetes.io/instance']).toBe('prod');
  }
  expect(notes).toContain('is installed as prod-keyward.');
  expect(notes).not.toContain('no value');
});

/** The schemas allow unknown fields, which Kubernetes refuses or drops; types find them. */
it('Kubernetes knows every field', async () => {
  const folder = join(import.meta.dirname, 'node_modules/.cache/helm-chart');
  mkdirSync(folder, { recursive: true });
  const files = Object.values(VARIANTS).map(async (values, i) => {
    const { manifests } = await chart.render(values);
    const constants = manifests.map(
      (one, j) => `export const m${j}: I${one.kind} = ${JSON.stringify(one)};`,
    );
    writeFileSync(join(folder, `${i}.ts`), [TYPES, ...constants].join('\n'));
  });
  await Promise.all(files);
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    module: 'nodenext',
    types: [],
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.ts'] }),
  );
  await runToEnd(process.execPath, [TSC, '-p', folder], folder);
});

it.each([
  ['a cluster', CLUSTER, '5', 20],
  ['one node', {}, '0', 15],
  ['a setting', { ...CLUSTER, settings: { KEYWARD_DRAIN_SECONDS: 0 } }, '0', 15],
  ['a longer one', { ...CLUSTER, settings: { KEYWARD_DRAIN_SECONDS: '30' } }, '30', 45],
])('%s: Kubernetes waits longer than the drain', async (_, values, seconds, graceSeconds) => {
  const { manifests } = await chart.render(values);
  const { spec } = only(manifests, 'Deployment').spec.template;
  const env: { name: string; value: string }[] = spec.containers[0].env;
  expect(env.filter(({ name }) => name === 'KEYWARD_DRAIN_SECONDS')).toEqual([
    { name: 'KEYWARD_DRAIN_SECONDS', value: seconds },
  ]);
  expect(spec.terminationGracePeriodSeconds).toBe(graceSeconds);
});

it('installs one node with a volume by default; edge, ingress, disruption budget and service monitor if configured', async () => {
  const small = ['Deployment keyward', 'Service keyward', 'Service keyward-metrics'];
  const account = 'ServiceAccount keyward';
  expect(named((await chart.render()).manifests)).toEqual(
    [...small, account, 'PersistentVolumeClaim keyward'].toSorted(),
  );
  expect(named((await chart.render(EVERYTHING)).manifests)).toEqual(
    [
      ...small,
      account,
      'DaemonSet keyward-edge',
      'Ingress keyward',
      'PodDisruptionBudget keyward',
      'ServiceMonitor keyward',
    ].toSorted(),
  );
});

it('a single node stops before its replacement starts, and several are replaced one at a time', async () => {
  const one = only((await chart.render()).manifests, 'Deployment').spec;
  expect([one.replicas, one.strategy.type]).toEqual([1, 'Recreate']);
  expect(one.template.spec.volumes[0].persistentVolumeClaim.claimName).toBe('keyward');
  const { manifests } = await chart.render(CLUSTER);
  const many = only(manifests, 'Deployment').spec;
  expect([many.replicas, many.strategy.rollingUpdate.maxUnavailable]).toEqual([3, 0]);
  expect(many.template.spec.volumes[0]).toEqual({ name: 'data', emptyDir: {} });
});

it('selectors match the pods of their own component only', async () => {
  const { manifests } = await chart.render(EVERYTHING, 'prod');
  const podsOf = (kind: string): Values => only(manifests, kind).spec.template.metadata.labels;
  const isSelected = (selector: Values, kind: string) =>
    Object.entries(selector).every(([name, value]) => podsOf(kind)[name] === value);
  const selectors: Values[] = [
    only(manifests, 'Deployment').spec.selector.matchLabels,
    only(manifests, 'PodDisruptionBudget').spec.selector.matchLabels,
    ...manifests.filter(({ kind }) => kind === 'Service').map(({ spec }) => spec.selector),
  ];
  for (const selector of selectors) {
    expect(isSelected(selector, 'Deployment')).toBe(true);
    expect(isSelected(selector, 'DaemonSet')).toBe(false);
  }
  const edges = only(manifests, 'DaemonSet').spec.selector.matchLabels;
  expect([isSelected(edges, 'DaemonSet'), isSelected(edges, 'Deployment')]).toEqual([true, false]);
  const monitored = only(manifests, 'ServiceMonitor').spec.selector.matchLabels;
  const services = manifests.filter(
    ({ kind, metadata: { labels } }) =>
      kind === 'Service' &&
      Object.entries(monitored).every(([name, value]) => labels[name] === value),
  );
  expect(services.map(({ metadata }) => metadata.name)).toEqual(['prod-keyward-metrics']);
  // The alert rules select this job.
  const { jobLabel } = only(manifests, 'ServiceMonitor').spec;
  expect(services[0]!.metadata.labels[jobLabel]).toBe('keyward');
});

it('settings with secrets are read from Secrets', async () => {
  const { manifests } = await chart.render(CLUSTER);
  const { env } = only(manifests, 'Deployment').spec.template.spec.containers[0];
  expect(env).toContainEqual({ name: 'KEYWARD_MANAGEMENT_LIMIT', value: '2000000' });
  expect(env).toContainEqual({
    name: 'KEYWARD_DATABASE_URL',
    valueFrom: { secretKeyRef: { name: 'postgres', key: 'url' } },
  });
  expect(env).toContainEqual({ name: 'KEYWARD_CACHE_MB', value: '512' });
});

it('settings that are paths name files from Secrets; edges get only the certificate authority', async () => {
  const { manifests } = await chart.render(EVERYTHING);
  const filesOf = (kind: string) => {
    const { containers, volumes } = only(manifests, kind).spec.template.spec;
    const [{ env, volumeMounts }] = containers;
    expect(volumeMounts).toContainEqual({
      name: 'files',
      mountPath: '/etc/keyward',
      readOnly: true,
    });
    const { sources } = volumes.find(({ name }: Values) => name === 'files').projected;
    return sources.map(({ secret }: { secret: { name: string; items: [Values] } }) => {
      const [{ key, path }] = secret.items;
      const setting = env.find(({ value }: Values) => value === `/etc/keyward/${path}`);
      return [setting.name, { name: secret.name, key }];
    });
  };
  expect(Object.fromEntries(filesOf('Deployment'))).toEqual(FILES);
  expect(filesOf('DaemonSet')).toEqual([['NODE_EXTRA_CA_CERTS', FILES.NODE_EXTRA_CA_CERTS]]);
});

it('numbers keep their value', async () => {
  const { manifests } = await chart.render({ settings: { OTEL_TRACES_SAMPLER_ARG: 0.1 } });
  const { env } = only(manifests, 'Deployment').spec.template.spec.containers[0];
  expect(env).toContainEqual({ name: 'OTEL_TRACES_SAMPLER_ARG', value: '0.1' });
});

it.each<[string, Values, string]>([
  ['replicas on SQLite', { replicas: 2 }, 'need PostgreSQL'],
  [
    'PostgreSQL without the root secret',
    { secrets: { KEYWARD_DATABASE_URL: from('postgres', 'url') } },
    'secrets.KEYWARD_SECRET',
  ],
  [
    'several replicas without Redis',
    { ...CLUSTER, secrets: POSTGRES },
    'secrets.KEYWARD_REDIS_URL',
  ],
  ['an ingress without a host', { ingress: { enabled: true } }, 'ingress.host'],
  ['an edge without an access key', { edge: { enabled: true } }, 'edge.accessKey.name'],
  ['an unknown value', { replicaCount: 3 }, 'replicaCount'],
  ['a misspelled setting', { settings: { keyward_cache_mb: 1 } }, 'keyward_cache_mb'],
  ['a path without its file', { settings: { KEYWARD_GITHUB_KEYS: '/x' } }, 'KEYWARD_GITHUB_KEYS'],
  ['a budget that allows no maintenance', { podDisruptionBudget: { maxUnavailable: 0 } }, '>= 1'],
])('refuses %s', async (_, values, message) => {
  await expect(chart.render(values)).rejects.toThrow(message);
});

it('containers do not run as root, gain no privileges, and have a read-only file system', async () => {
  const { manifests } = await chart.render(EVERYTHING);
  for (const kind of ['Deployment', 'DaemonSet']) {
    const pod = only(manifests, kind).spec.template.spec;
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(pod.enableServiceLinks).toBe(false);
    const limited = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true };
    for (const { securityContext } of pod.containers)
      expect(securityContext).toEqual({ ...limited, capabilities: { drop: ['ALL'] } });
    // Gives the folder of the socket to the user of the edge.
    for (const { securityContext } of pod.initContainers ?? [])
      expect(securityContext).toEqual({
        ...limited,
        ...{ runAsNonRoot: false, runAsUser: 0 },
        capabilities: { drop: ['ALL'], add: ['CHOWN'] },
      });
  }
});

const SETTINGS = ['config.ts', 'people-settings.ts']
  .map((file) => readFileSync(join(ROOT, 'server/src/app', file), 'utf8'))
  .flatMap((text) => [...text.matchAll(/'(KEYWARD_[A-Z_]+)'/g)].map(([, name = '']) => name));

it('names only settings that exist', () => {
  for (const file of ['values.yaml', 'values.schema.json', 'templates/checks.yaml']) {
    const named = readFileSync(join(CHART, file), 'utf8').match(/\bKEYWARD_[A-Z_]*[A-Z]\b/g);
    expect([...new Set(named)].filter((name) => !SETTINGS.includes(name))).toEqual([]);
  }
});

it('takes no setting with a password except from a Secret', async () => {
  const secret = SETTINGS.filter((name) =>
    /(_SECRET|BOOTSTRAP_ACCESS_KEY|(DATABASE|DIRECT|REDIS|SMTP)_URL)$/.test(name),
  );
  expect(secret.length).toBeGreaterThan(5);
  for (const name of secret)
    await expect(chart.render({ settings: { [name]: 'x' } }), name).rejects.toThrow('settings');
});

it('installs the released image by its digest, unless a tag or another repository is set', async () => {
  const released = `ghcr.io/keyward/keyward@sha256:${'a'.repeat(64)}`;
  const imageOf = async (image: object, releasedImage = released) => {
    const { manifests } = await chart.render({ image }, 'keyward', releasedImage);
    return only(manifests, 'Deployment').spec.template.spec.containers[0].image;
  };
  const { version } = readChart('Chart.yaml');
  expect(await imageOf({})).toBe(released);
  expect(await imageOf({ tag: '1.2.3' })).toBe('ghcr.io/keyward/keyward:1.2.3');
  const repository = 'registry.example.com/keyward';
  expect(await imageOf({ repository })).toBe(`${repository}:${version}`);
  // With --reuse-values, the values of the previous version replace those of the chart.
  const next = `ghcr.io/keyward/keyward@sha256:${'b'.repeat(64)}`;
  expect(await imageOf(readChart('values.yaml').image, next)).toBe(next);
  expect(await imageOf({}, '')).toBe(`ghcr.io/keyward/keyward:${version}`);
});

it('has the version of the npm packages', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'server/package.json'), 'utf8'));
  expect(readChart('Chart.yaml')).toMatchObject({ version, appVersion: version });
});
