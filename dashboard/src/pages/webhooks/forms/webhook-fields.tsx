import { useAccount, useProject } from '../../../app/current.ts';
import { TextField } from '../../../components/forms/field.tsx';
import { RadioCards } from '../../../components/forms/radio-cards.tsx';
import { Select } from '../../../components/forms/select.tsx';
import { WebhookTest } from '../details/webhook-test.tsx';
import { HeadersField } from './headers-field.tsx';
import { TopicsField } from './topics-field.tsx';
import { type Draft, type DraftErrors, errorsIn, targetOf, withLevel } from './webhook-draft.ts';

interface WebhookFieldsProps {
  readonly draft: Draft;
  readonly errors: DraftErrors;
  /** Id of the webhook being edited. A test to its saved URL then sends its stored header values. */
  readonly webhookId?: string;
  onChange(draft: Draft): void;
}

/** Fields of the forms to create and edit, and the test. */
export function WebhookFields({ draft, errors, webhookId, onChange }: WebhookFieldsProps) {
  const project = useProject();
  const account = useAccount();
  const wrong = errorsIn(draft);
  const problem = wrong.url === undefined ? wrong.headers : 'Enter a full URL first.';
  const target =
    problem === undefined
      ? { ...targetOf(draft), ...(webhookId !== undefined && { webhookId }) }
      : null;
  const change = (part: Partial<Draft>) => onChange({ ...draft, ...part });
  return (
    <>
      <TextField
        label="Name"
        placeholder="Billing sync"
        value={draft.name}
        onChange={(name) => change({ name })}
        error={errors.name}
        maxLength={256}
        autoComplete="off"
      />
      <div className="grid gap-3 sm:grid-cols-[7rem_1fr]">
        <Select
          label="Method"
          value={draft.httpMethod}
          options={METHODS}
          onChange={(httpMethod) => change({ httpMethod })}
        />
        <TextField
          label="Endpoint URL"
          type="url"
          mono
          placeholder="https://example.com/hooks/keyward"
          value={draft.url}
          onChange={(url) => change({ url })}
          error={errors.url}
          hint="Must be public, use HTTPS, and respond with 2xx within 15 seconds."
          maxLength={2048}
          autoComplete="off"
        />
      </div>
      <Select
        label="Format"
        value={draft.format}
        options={FORMATS}
        onChange={(format) => change({ format })}
        hint="CloudEvents never contain key values."
      />
      <HeadersField
        rows={draft.headers}
        onChange={(headers) => change({ headers })}
        error={errors.headers}
      />
      <WebhookTest target={target} problem={problem} />
      <RadioCards
        label="Level"
        value={draft.level}
        onChange={(level) => change(withLevel(draft, level))}
        options={[
          { value: 'project', label: project.name, hint: 'Events in this project.' },
          {
            value: 'account',
            label: 'Whole account',
            hint: `Events in every project of ${account.name}, and of account-level access keys.`,
          },
        ]}
      />
      <TopicsField
        topics={draft.topics}
        level={draft.level}
        hasValues={draft.format === 'standard'}
        onChange={(topics) => change({ topics })}
        error={errors.topics}
      />
    </>
  );
}

const FORMATS = [
  { value: 'standard', label: 'Standard Webhooks' },
  { value: 'cloudevents', label: 'CloudEvents 1.0' },
] as const;

const METHODS = [
  { value: 'POST', label: 'POST' },
  { value: 'PUT', label: 'PUT' },
] as const;
