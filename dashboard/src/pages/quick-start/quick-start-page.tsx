import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { createAccessKey } from '../../api/access-keys.ts';
import { createApiKey } from '../../api/api-keys.ts';
import { useProject } from '../../app/current.ts';
import { useMay } from '../../app/session/permissions.ts';
import { buttonClass } from '../../components/buttons/button.tsx';
import { CodeBlock } from '../../components/display/code-block.tsx';
import { Snippets } from '../../components/display/snippets.tsx';
import { Failure } from '../../components/feedback/failure.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { createSnippets, validateSnippets } from '../../text/call-snippets.ts';
import { CreateCredential } from './create-credential.tsx';
import { limitCurl } from './limit-curl.ts';
import { Step } from './step.tsx';
import { STEPS, useProgress } from './use-progress.ts';

/** Mounted again for another project: keys that were created on this page belong to one project. */
export const QuickStartPage = () => <QuickStart key={useProject().id} />;

/** Guides to the first validated key, with the ids of the project. Completed steps are checked off. */
function QuickStart() {
  const project = useProject();
  const progress = useProgress(project.id);
  const [accessKey, setAccessKey] = useState<string | null>(null);
  const [apiKey, setApiKey] = useState<string | null>(null);
  const [keyId, setKeyId] = useState<string | null>(null);
  const mayCreateAccessKeys = useMay('access-keys:write');
  const mayCreateKeys = useMay('keys:write');
  const done = progress.data;
  const names = {
    origin: location.origin,
    projectId: project.id,
    accessKey: accessKey ?? '<ACCESS_KEY>',
    apiKey: apiKey ?? '<API_KEY>',
    keyId: keyId ?? '<KEY_ID>',
  };
  const count = done ? Object.values(done).filter(Boolean).length : 0;

  return (
    <div className="flex w-full max-w-3xl flex-col gap-8">
      <PageHeader
        title="Quick start"
        description={
          <>
            Create and validate your first key in <strong>{project.name}</strong>.{' '}
            {done && `${count} of ${STEPS.length} steps complete.`} Steps are checked off
            automatically.
          </>
        }
      />
      {progress.isError && <Failure error={progress.error} onRetry={() => progress.refetch()} />}
      <ol>
        <Step
          number={1}
          title={STEPS[0]!.title}
          isDone={accessKey !== null || (done?.usedAccessKey ?? false)}
        >
          <p className="text-muted">
            Your server uses it to call Keyward. It is not one of the keys that your customers get.
            Keyward printed an access key when it started for the first time. Here you can create
            another one that can only manage keys in this project.
          </p>
          {mayCreateAccessKeys && (
            <CreateCredential
              what="access key"
              action="Create access key"
              value={accessKey}
              create={(idempotencyKey) => newAccessKey(project.id, idempotencyKey)}
              onCreated={setAccessKey}
            />
          )}
        </Step>
        <Step
          number={2}
          title={STEPS[1]!.title}
          isDone={apiKey !== null || (done?.hasKey ?? false)}
        >
          <p className="text-muted">
            Your customer sends it with every request to your API. Its value is shown only once, in
            the response.
          </p>
          <Snippets
            label="Create a key"
            snippets={createSnippets(names, { projectId: project.id, name: 'My first customer' })}
          />
          {mayCreateKeys && (
            <CreateCredential
              what="API key"
              action="Or create it here"
              value={apiKey}
              create={async (idempotencyKey) => {
                const body = { name: 'My first customer', projectId: project.id };
                const created = await createApiKey(body, idempotencyKey);
                setKeyId(created.id);
                return created.key;
              }}
              onCreated={setApiKey}
            />
          )}
        </Step>
        <Step number={3} title={STEPS[2]!.title} isDone={done?.hasValidated ?? false}>
          <p className="text-muted">
            When a request arrives at your API, check whether its key is valid. One validation
            completes this step.
          </p>
          <Snippets label="Validate the key" snippets={validateSnippets(names, names.apiKey)} />
        </Step>
        <Step number={4} title={STEPS[3]!.title} isDone={done?.hasHitLimit ?? false}>
          <p className="text-muted">
            Three requests per minute: the fourth is refused with 429, with headers that state when
            to retry.
          </p>
          <CodeBlock label="curl" code={limitCurl(names)} />
        </Step>
        <Step number={5} title={STEPS[4]!.title} isDone={done?.hasWebhook ?? false}>
          <p className="text-muted">
            A webhook notifies your systems when keys are created, changed, revoked or first used.
          </p>
          <div>
            <Link
              to="/p/$projectId/webhooks"
              params={{ projectId: project.id }}
              className={buttonClass()}
            >
              Go to webhooks
            </Link>
          </div>
        </Step>
      </ol>
    </div>
  );
}

async function newAccessKey(projectId: string, idempotencyKey: string): Promise<string> {
  const scopes = ['keys:validate', 'keys:read', 'keys:write'] as const;
  const body = { name: 'Quick start', projectId, scopes: [...scopes] };
  const created = await createAccessKey(body, idempotencyKey);
  return created.key;
}
