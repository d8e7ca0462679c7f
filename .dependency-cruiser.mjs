// The one direction of imports: cli → edge → app → http, telemetry → features → storage, cluster → kernel.
const rooms = ['cli', 'edge', 'app', '(http|telemetry)', 'features', '(storage|cluster)', 'kernel'];

const upward = rooms.slice(1).map((room, index) => ({
  name: `${room.replace(/\W/g, ' ').trim().replace(' ', '-')}-imports-upward`,
  severity: 'error',
  from: { path: `^server/src/${room}/` },
  to: { path: `^server/src/(${rooms.slice(0, index + 1).join('|')})/` },
}));

export default {
  forbidden: [
    ...upward,
    {
      name: 'storage-and-cluster-are-apart',
      severity: 'error',
      from: { path: '^server/src/(storage|cluster)/' },
      to: { path: '^server/src/(storage|cluster)/', pathNot: '^server/src/$1/' },
    },
    {
      name: 'features-meet-at-index',
      comment: 'A feature reaches a sibling only through its index.ts.',
      severity: 'error',
      from: { path: '^server/src/features/([^/]+)/' },
      to: {
        path: '^server/src/features/([^/]+)/',
        pathNot: '^server/src/features/($1/|[^/]+/index\\.ts$)',
      },
    },
    {
      name: 'only-the-composition-root-names-engines',
      severity: 'error',
      from: {
        path: '^server/src/',
        pathNot:
          '^server/src/(storage/|cluster/|app/composition/(application|cluster)\\.ts|cli/)|\\.test\\.ts$',
      },
      to: { path: '^server/src/(storage/(sqlite|postgres)|cluster/[^/]+/(memory|redis|postgres))' },
    },
    {
      name: 'only-the-edge-is-made-of-the-sdk',
      severity: 'error',
      from: { path: '^server/src/', pathNot: '^server/src/edge/|\\.test\\.ts$' },
      to: { path: '^sdk/dist/internal\\.' },
    },
    {
      name: 'only-the-cli-calls-through-the-sdk',
      severity: 'error',
      from: {
        path: '^server/src/(app|http|features|storage|cluster|kernel)/',
        pathNot: '\\.test\\.ts$',
      },
      to: { path: '^(node_modules/keyward|sdk/dist)/' },
    },
    {
      name: 'rules-import-nothing',
      severity: 'error',
      from: { path: '^rules/src/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^rules/src/' },
    },
    {
      name: 'server-imports-no-test-code',
      severity: 'error',
      from: { path: '^server/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^server/test/|\\.test\\.ts$' },
    },
    {
      name: 'node-http-through-the-kernel',
      comment: 'An import of its values would load undici: see server/src/kernel/node-http.ts.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(node:)?http$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '^(rules|server|sdk|dashboard)/src/' },
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      comment: 'What the SDK needs of Next.js is declared in next-server.d.ts.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^next/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules|^sdk/dist/' },
    exclude: { path: '^(server|dashboard)/dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
  },
};
