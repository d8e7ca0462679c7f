import { Notice } from '../../../components/feedback/notice.tsx';
import { Checkbox } from '../../../components/forms/checkbox.tsx';
import { hasValue, isAccountOnly, TOPIC_GROUPS, TOPIC_TEXTS, type Topic } from '../topics.ts';

interface TopicsFieldProps {
  readonly topics: readonly Topic[];
  readonly level: 'project' | 'account';
  /** Whether the format of the webhook can contain key values. */
  readonly hasValues: boolean;
  onChange(topics: readonly Topic[]): void;
  readonly error?: string | undefined;
}

export function TopicsField({ topics, level, hasValues, onChange, error }: TopicsFieldProps) {
  const isOffered = (topic: Topic) => level === 'account' || !isAccountOnly(topic);
  const groups = TOPIC_GROUPS.map(({ label, topics: group }) => ({
    label,
    topics: group.filter(isOffered),
  })).filter((group) => group.topics.length > 0);
  const set = (changed: readonly Topic[], on: boolean) => {
    const others = topics.filter((topic) => !changed.includes(topic));
    onChange(on ? [...others, ...changed] : others);
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1.5 font-medium text-sm">Events</legend>
      <div className="flex flex-col gap-4 rounded-lg border border-line p-4">
        {groups.map(({ label, topics: group }) => {
          const chosen = group.filter((topic) => topics.includes(topic)).length;
          return (
            <div key={label} className="flex flex-col gap-2.5">
              <Checkbox
                label={<span className="font-medium">{label}</span>}
                checked={chosen === group.length}
                mixed={chosen > 0 && chosen < group.length}
                onChange={(on) => set(group, on)}
              />
              <div className="grid gap-2.5 pl-6.5 sm:grid-cols-2">
                {group.map((topic) => (
                  <Checkbox
                    key={topic}
                    label={<code className="text-sm">{topic}</code>}
                    hint={TOPIC_TEXTS[topic]}
                    checked={topics.includes(topic)}
                    onChange={(on) => set([topic], on)}
                  />
                ))}
              </div>
            </div>
          );
        })}
      </div>
      {hasValues && topics.some(hasValue) && (
        <Notice tone="warn">
          This endpoint will receive full key values. Make sure that it is yours and does not log
          them. You can select these events only if you have permission to create such keys.
        </Notice>
      )}
      {error && (
        <p role="alert" className="text-bad text-sm">
          {error}
        </p>
      )}
    </fieldset>
  );
}
