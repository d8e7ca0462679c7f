import { Link, useNavigate } from '@tanstack/react-router';
import type { Plan } from 'keyward';
import { EllipsisVertical, Pencil, Star, StarOff, Trash2 } from 'lucide-react';
import { deletePlan, setDefaultPlan, usePlanUses } from '../../api/plans.ts';
import { useShortcut } from '../../app/browser/shortcuts.ts';
import { useProject } from '../../app/current.ts';
import { lazyPart } from '../../app/routing/lazy-page.ts';
import { useMay } from '../../app/session/permissions.ts';
import { Button } from '../../components/buttons/button.tsx';
import { IconButton } from '../../components/buttons/icon-button.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../components/overlays/menu.tsx';
import { countOrMore } from '../../text/numbers.ts';

const EditPlanDialog = lazyPart(async () => (await import('./plan-dialog.tsx')).EditPlanDialog);

export type PlanDialogName = 'edit' | 'default' | 'delete';

interface PlanActionsProps {
  readonly isDefault: boolean;
  onOpen(dialog: PlanDialogName): void;
}

export function PlanActions({ isDefault, onOpen }: PlanActionsProps) {
  const mayWrite = useMay('plans:write');
  const maySetDefault = useMay('projects:write');
  useShortcut('e', 'Edit this plan', () => onOpen('edit'), { enabled: mayWrite });
  if (!mayWrite) return null;
  return (
    <>
      <Button icon={<Pencil />} onClick={() => onOpen('edit')}>
        Edit
      </Button>
      <Menu
        label="More actions"
        trigger={
          <IconButton label="More actions">
            <EllipsisVertical />
          </IconButton>
        }
      >
        {maySetDefault && (
          <>
            <MenuItem icon={isDefault ? <StarOff /> : <Star />} onSelect={() => onOpen('default')}>
              {isDefault ? 'Remove as default…' : 'Make default…'}
            </MenuItem>
            <MenuSeparator />
          </>
        )}
        <MenuItem danger icon={<Trash2 />} onSelect={() => onOpen('delete')}>
          Delete…
        </MenuItem>
      </Menu>
    </>
  );
}

interface PlanDialogsProps {
  readonly open: PlanDialogName;
  readonly plan: Plan;
  onClose(): void;
}

export function PlanDialogs({ open, plan, onClose }: PlanDialogsProps) {
  switch (open) {
    case 'edit':
      return <EditPlanDialog {...{ plan, onClose }} />;
    case 'default':
      return <SetDefault {...{ plan, onClose }} />;
    case 'delete':
      return <DeletePlan {...{ plan, onClose }} />;
  }
}

type PlanDialogProps = Omit<PlanDialogsProps, 'open'>;

function SetDefault({ plan, onClose }: PlanDialogProps) {
  const project = useProject();
  const isDefault = project.defaultPlanId === plan.id;
  return (
    <Confirm
      open
      onClose={onClose}
      title={
        isDefault
          ? `Remove ${plan.name} as the default plan?`
          : `Make ${plan.name} the default plan?`
      }
      consequences={
        isDefault
          ? `Keys in ${project.name} that have no plan of their own, and none from their customer, will be left without a plan. Its limits, credits and permissions no longer apply to them.`
          : `Its limits, credits and permissions apply immediately to each key in ${project.name}, existing or new, if neither the key nor its customer has a plan.`
      }
      action={isDefault ? 'Remove as default' : 'Make default'}
      onConfirm={async () => {
        await setDefaultPlan(project.id, isDefault ? null : plan.id);
        toast({
          text: isDefault
            ? `${project.name} has no default plan.`
            : `${plan.name} is the default plan of ${project.name}.`,
        });
      }}
    />
  );
}

function DeletePlan({ plan, onClose }: PlanDialogProps) {
  const project = useProject();
  const navigate = useNavigate();
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Delete ${plan.name}?`}
      consequences={
        <>
          Only a plan that no key, customer or project uses can be deleted. This cannot be undone.
          The audit log keeps its settings.
          <PlanUses plan={plan} isDefault={project.defaultPlanId === plan.id} />
        </>
      }
      action="Delete"
      danger
      onConfirm={async () => {
        await deletePlan(plan.id, () =>
          navigate({ to: '/p/$projectId/plans', params: { projectId: project.id } }),
        );
        toast({ text: `${plan.name} was deleted.` });
      }}
    />
  );
}

/** Who must choose another plan first. */
function PlanUses({ plan, isDefault }: { readonly plan: Plan; readonly isDefault: boolean }) {
  const uses = usePlanUses(plan).data;
  if (!uses || (uses.keys === 0 && uses.customers === 0 && !isDefault)) return null;
  const params = { projectId: plan.projectId };
  const link = 'text-accent underline underline-offset-2';
  return (
    <div className="mt-3">
      Choose another plan there first:
      <ul className="mt-1 list-disc pl-5">
        {uses.customers > 0 && (
          <li>
            <Link
              to="/p/$projectId/customers"
              params={params}
              search={{ plan: plan.id }}
              className={link}
            >
              Customers: {countOrMore(uses.customers, uses.hasMoreCustomers)}
            </Link>
          </li>
        )}
        {uses.keys > 0 && (
          <li>
            <Link
              to="/p/$projectId/keys"
              params={params}
              search={{ plan: plan.id }}
              className={link}
            >
              Keys: {countOrMore(uses.keys, uses.hasMoreKeys)}
            </Link>
          </li>
        )}
        {isDefault && <li>It is the default plan of the project.</li>}
      </ul>
    </div>
  );
}
