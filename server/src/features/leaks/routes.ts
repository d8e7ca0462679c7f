import { hash } from 'node:crypto';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { KeywardError } from '../../kernel/errors.ts';
import { parseLargeJson } from '../../kernel/json/json.ts';
import { defineRoute, type RawBody, type Route } from '../../kernel/route.ts';
import { claimedSignature, type GithubKeys, requireSignature } from './github.ts';
import {
  GithubFeedback,
  GithubMessage,
  Leak,
  LeakResult,
  ListLeaks,
  ReportLeaks,
} from './schema.ts';
import type { LeakService } from './service.ts';

/** `readKeys`: the public keys of GitHub; null if messages of GitHub are not accepted. */
export const leakRoutes = (
  service: LeakService,
  readKeys: (() => Promise<GithubKeys>) | null,
): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/leaks',
    operationId: 'reportLeaks',
    tag: 'leaks',
    summary: 'Report key values that have leaked',
    description:
      'Finds the API keys and access keys of the account that have these values, sends `api-key.leaked` for each, and revokes it if `onLeak` of its project is `revoke`. The response has one result for each value, in order. Reporting a key again for the same `source` and `url` sends no second event, unless this report revokes the key. Values are neither stored nor logged.',
    example: {
      body: {
        values: ['acme-key-made-elsewhere-0001'],
        source: 'code search',
        url: 'https://code.example/acme/app/config.js',
      },
    },
    access: 'leaks:report',
    body: ReportLeaks,
    reply: Type.Array(LeakResult),
    status: 200,
    handle: ({ actor, body }) => service.report(actor, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/leaks',
    operationId: 'listLeaks',
    tag: 'leaks',
    summary: 'List reported leaks, newest first',
    description:
      'One row for each key, `source` and `url`. Access keys are listed for callers with the scope `access-keys:read`.',
    example: { query: { limit: 10 } },
    access: 'keys:read',
    query: ListLeaks,
    reply: Leak,
    status: 200,
    list: true,
    errors: ['project_not_found'],
    handle: ({ actor, query }) => service.list(actor.principal, query),
  }),
  defineRoute({
    method: 'POST',
    path: '/leaks/github',
    operationId: 'receiveGithubLeaks',
    tag: 'leaks',
    summary: "Receive a message of GitHub's secret scanning",
    description:
      'For GitHub alone, which signs its messages. Values that Keyward generated are looked up in all accounts, others are ignored. A message that is sent again within 24 hours gets the same response, and nothing is done again. Two messages are handled at a time, and two larger than 64 KB are read at a time; others wait for up to 10 seconds. A body must arrive within 5 seconds. 404 unless `KEYWARD_GITHUB_KEYS` is set.',
    example: {
      body: [
        {
          token: '$KEY',
          type: 'keyward_api_key',
          url: 'https://github.com/octocat/hello/blob/main/config.js',
          source: 'content',
        },
      ],
      needs: 'the signature of GitHub',
      response: [
        {
          token_hash: 'u1mQ7Tp0xwVYs2b4Z8fKcA5nJ3eHdLr6gWiX9yOqEkM=',
          token_type: 'keyward_api_key',
          label: 'true_positive',
        },
      ],
    },
    access: 'public',
    rawBody: githubBody(readKeys),
    ...(readKeys && { bodyBytesMax: 1024 * 1024 }),
    body: Type.Optional(Type.Unknown()),
    describedBody: GithubMessage,
    reply: GithubFeedback,
    status: 200,
    errors: [
      'route_not_found',
      'signature_invalid',
      'request_timeout',
      'overloaded',
      'storage_full',
      'storage_unavailable',
    ],
    async handle({ actor, headers, rawBody = Buffer.alloc(0) }) {
      if (readKeys === null) throw new KeywardError('route_not_found');
      requireSignature(await readKeys(), headers, rawBody);
      const body = await parseLargeJson(rawBody);
      if (!Value.Check(GithubMessage, body))
        throw new KeywardError(
          'invalid_body',
          'The body must be a list of objects with token and type.',
        );
      return service.reportFromGithub(actor, body, hash('sha256', rawBody, 'base64url'));
    },
  }),
];

/** Beside bodies of usual size, callers without a signature can occupy two megabytes, each for five seconds. */
const githubBody = (readKeys: (() => Promise<GithubKeys>) | null): RawBody => ({
  atOnce: 2,
  msMax: 5_000,
  async checkHeaders(headers) {
    if (readKeys === null) throw new KeywardError('route_not_found');
    claimedSignature(await readKeys(), headers);
  },
});
