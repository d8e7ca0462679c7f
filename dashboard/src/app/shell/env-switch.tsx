import { useNavigate } from '@tanstack/react-router';
import type { Project } from 'keyward';
import { useWorkspace } from '../../api/workspace.ts';
import { cx } from '../../components/cx.ts';
import { toast } from '../../components/feedback/toasts.tsx';
import { useMay } from '../session/permissions.ts';
import { matchingProject } from './matching-project.ts';
import { useSwitchProject } from './use-switch-project.ts';

interface EnvSwitchProps {
  readonly project: Project;
  readonly onGo?: (() => void) | undefined;
}

/** Switches to the matching project of the other environment, live or test. */
export function EnvSwitch({ project, onGo }: EnvSwitchProps) {
  const { projects } = useWorkspace();
  const navigate = useNavigate();
  const switchTo = useSwitchProject();
  const mayCreate = useMay('projects:write');

  function go(env: Project['env']) {
    if (env === project.env) return;
    const other = matchingProject(projects, project);
    if (!other && !mayCreate)
      return toast({
        text: `There is no ${env} project. Ask an owner or admin to create one.`,
        tone: 'neutral',
      });
    onGo?.();
    if (other) return switchTo(other);
    void navigate({
      to: '/a/$accountId/projects',
      params: { accountId: project.accountId },
      search: { create: env },
    });
  }

  return (
    // Buttons, not radio buttons: an arrow key must not switch the project.
    <fieldset className="grid grid-cols-2 rounded-lg border border-line bg-sunken p-0.5">
      <legend className="sr-only">Environment</legend>
      {ENVS.map(({ env, label, pressed }) => (
        <button
          key={env}
          type="button"
          aria-pressed={env === project.env}
          onClick={() => go(env)}
          className={cx(
            'h-7 rounded-md font-medium text-muted text-sm transition-colors hover:text-ink aria-pressed:shadow-raised max-lg:h-9',
            pressed,
          )}
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}

const ENVS = [
  { env: 'live', label: 'Live', pressed: 'aria-pressed:bg-good-soft aria-pressed:text-good' },
  { env: 'test', label: 'Test', pressed: 'aria-pressed:bg-warn-soft aria-pressed:text-warn' },
] as const;
