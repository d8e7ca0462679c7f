/** A page, or a page with a title that is shorter than its heading. */
type Item = string | readonly [path: string, title: string];

interface Section {
  readonly text: string;
  readonly items: readonly Item[];
}

/** The pages by task. A test checks that none is missing. */
export const SIDEBAR: readonly Section[] = [
  {
    text: 'Start',
    items: [
      ['docs/README.md', 'Overview'],
      'docs/tutorial.md',
      'docs/quick-starts/README.md',
      ['docs/quick-starts/express.md', 'Express'],
      ['docs/quick-starts/fastify.md', 'Fastify'],
      ['docs/quick-starts/hono.md', 'Hono'],
      ['docs/quick-starts/next.md', 'Next.js'],
      ['docs/quick-starts/nest.md', 'NestJS'],
      ['docs/quick-starts/node.md', 'node:http'],
      ['docs/quick-starts/fastapi.md', 'FastAPI'],
      ['docs/quick-starts/flask.md', 'Flask'],
      ['docs/quick-starts/go.md', 'Go'],
      ['docs/quick-starts/any-language.md', 'Any language'],
      'docs/guides/docker.md',
      'docs/comparison.md',
      'docs/faq.md',
    ],
  },
  {
    text: 'Protect an API',
    items: [
      'docs/guides/permissions.md',
      ['sdk/README.md', 'JavaScript and TypeScript'],
      ['clients/python/README.md', 'Python'],
      ['clients/go/README.md', 'Go'],
      'docs/gateways/README.md',
      'docs/guides/local-validation.md',
      'docs/guides/edge.md',
      'docs/guides/leaks.md',
      'examples/README.md',
    ],
  },
  {
    text: 'Sell access',
    items: [
      'docs/guides/plans-and-credits.md',
      'docs/guides/credits-and-statements.md',
      'docs/guides/portal.md',
      'docs/guides/usage-events.md',
      'docs/guides/analytics.md',
    ],
  },
  {
    text: 'Operate',
    items: [
      'docs/guides/one-machine.md',
      'docs/guides/high-availability.md',
      'docs/guides/from-one-machine-to-many.md',
      'docs/guides/kubernetes.md',
      'docs/guides/monitoring.md',
      'docs/guides/troubleshooting.md',
      'docs/guides/security.md',
      'docs/guides/dashboard.md',
      'docs/guides/people.md',
      'docs/guides/audit-log.md',
      'docs/guides/webhooks.md',
      'docs/guides/mcp.md',
      'docs/guides/migrating.md',
      'docs/guides/moving-away.md',
    ],
  },
  {
    text: 'Reference',
    items: [
      'docs/openapi.json',
      'docs/reference/configuration.md',
      'docs/reference/command-line.md',
      'docs/errors/README.md',
      'docs/reference/limits.md',
      'docs/guarantees.md',
      'docs/reference/retention.md',
      'docs/glossary.md',
      'docs/compatibility.md',
      'CHANGELOG.md',
    ],
  },
  {
    text: 'Why it is built this way',
    items: [
      'docs/ARCHITECTURE.md',
      'docs/scale.md',
      'docs/benchmarks.md',
      ['SECURITY.md', 'Reporting a vulnerability'],
      'docs/dependencies.md',
      'docs/decisions/README.md',
      'CONTRIBUTING.md',
    ],
  },
];
