import Type from 'typebox';
import { KeywardError } from '../../../kernel/errors.ts';
import { defineRoute } from '../../../kernel/route.ts';
import { Id, strict } from '../../../kernel/schemas.ts';
import { KEY_OUTCOMES } from '../outcomes.ts';
import type { Reporter, UsageReports } from '../usage-reports.ts';

/** Far less than the number of a sender’s last report is remembered for. */
const AGO_MS_MAX = 12 * 3_600_000;

const Body = strict(
  {
    reporter: Type.String({
      pattern: '^[A-Za-z0-9_-]{16,64}$',
      description: 'Random, and the same for all reports of one process.',
    }),
    number: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Counts up from report to report. One that was had already is passed over.',
    }),
    agoMs: Type.Integer({
      minimum: 0,
      maximum: AGO_MS_MAX,
      description: 'How long ago it was counted.',
    }),
    counts: Type.Array(
      strict({
        keyId: Id('key', 'the key'),
        outcome: Type.Union(KEY_OUTCOMES.map((outcome) => Type.Literal(outcome))),
        count: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      }),
      { minItems: 1, maxItems: 500 },
    ),
  },
  'UsageReport',
);

const Received = Type.Object({ received: Type.Literal(true) }, { title: 'UsageReceived' });

export const reportUsage = (reports: UsageReports) =>
  defineRoute({
    method: 'POST',
    path: '/usage',
    operationId: 'reportUsage',
    tag: 'analytics',
    summary: 'Report uses of keys that were validated in your own process',
    description:
      'Counted once for each `reporter` and `number`, however often it is sent: send reports one after the other, and the same one again until it is answered. Keys that are not yours are ignored. An access key may report under 10,000 names in a day: use one name for the life of a process.',
    access: 'keys:validate',
    unmetered: true,
    body: Body,
    reply: Received,
    status: 200,
    errors: ['too_many_reporters'],
    async handle(call) {
      const { principal } = call.actor;
      if (principal.kind !== 'access-key') throw new KeywardError('scope_missing');
      await reports.take(principal as unknown as Reporter, call.body);
      return { received: true };
    },
  });
