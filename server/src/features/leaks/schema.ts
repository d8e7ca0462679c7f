import Type, { type Static } from 'typebox';
import {
  Id,
  Name,
  nullable,
  PageQuery,
  strict,
  Time,
  VisibleProject,
} from '../../kernel/schemas.ts';

const VALUES_MAX = 100;
export const SOURCE_LENGTH_MAX = 256;
export const URL_LENGTH_MAX = 2048;

const Source = Type.String({
  minLength: 1,
  maxLength: SOURCE_LENGTH_MAX,
  description: 'Where the value was found, in your words.',
  examples: ['keyward scan', 'github.content'],
});

const Url = Type.String({
  minLength: 1,
  maxLength: URL_LENGTH_MAX,
  description: 'Where it was found: an `http` or `https` URL.',
});

export const ReportLeaks = strict(
  {
    values: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
      minItems: 1,
      maxItems: VALUES_MAX,
      description: 'The values that were found. They are neither stored nor logged.',
    }),
    source: Source,
    url: Type.Optional(nullable(Url)),
  },
  'ReportLeaks',
);
export type ReportLeaks = Static<typeof ReportLeaks>;

const Action = Type.Union([Type.Literal('notified'), Type.Literal('revoked')], {
  description:
    'Depends on `onLeak` of the project. `notified`: the event `api-key.leaked` was sent. `revoked`: the key was also revoked. Access keys of the whole account are never revoked automatically.',
});

export const LeakResult = Type.Object(
  {
    keyId: nullable(
      Type.String({ description: 'Id of the API key (`key_…`) or access key (`ak_…`).' }),
    ),
    action: Type.Union(
      [Type.Literal('notified'), Type.Literal('revoked'), Type.Literal('unknown')],
      { description: '`unknown`: no key that the caller may see has this value.' },
    ),
  },
  { title: 'LeakResult' },
);
export type LeakResult = Static<typeof LeakResult>;

/** The fields that the event `api-key.leaked` has beside those of the key. */
export const ReportedLeak = {
  source: Source,
  url: nullable(Url),
  action: Action,
};

export const Leak = Type.Object(
  {
    id: Id('lek', 'the leak'),
    keyId: Type.String({ description: 'Id of the API key (`key_…`) or access key (`ak_…`).' }),
    key: nullable(Type.String({ description: 'The value, masked; null if the key was erased.' })),
    name: nullable(Name),
    isActive: nullable(
      Type.Boolean({ description: 'Whether the key is active now, and not expired.' }),
    ),
    projectId: nullable(Id('prj', 'the project (`null`: an access key of the whole account)')),
    ...ReportedLeak,
    reports: Type.Integer({
      minimum: 1,
      description: 'How often the key was reported with this `source` and `url`.',
    }),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'Leak' },
);
export type Leak = Static<typeof Leak>;

export const ListLeaks = strict({
  projectId: VisibleProject,
  key: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Id of the API key or access key.' }),
  ),
  isActive: Type.Optional(
    Type.Boolean({
      description:
        'Only keys that are, or are not, active now. Expired keys are not active. Either value leaves out erased keys.',
    }),
  ),
  ...PageQuery,
});
export type ListLeaks = Static<typeof ListLeaks>;

/** The message of GitHub's secret scanning. Unknown fields are ignored: GitHub may add some. */
export const GithubMessage = Type.Array(
  Type.Object({
    token: Type.String(),
    type: Type.String(),
    url: Type.Optional(Type.String()),
    source: Type.Optional(Type.String()),
  }),
  { title: 'GithubMessage', maxItems: 10_000 },
);
export type GithubMessage = Static<typeof GithubMessage>;

export const GithubFeedback = Type.Array(
  Type.Object({
    token_hash: Type.String({ description: 'SHA-256 of the token, in hexadecimal digits.' }),
    token_type: Type.String(),
    label: Type.Union([Type.Literal('true_positive'), Type.Literal('false_positive')]),
  }),
  { title: 'GithubFeedback' },
);
export type GithubFeedback = Static<typeof GithubFeedback>;
