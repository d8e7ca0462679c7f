import type { Project } from 'keyward';
import { EllipsisVertical, PanelsTopLeft, Pencil, Power, RotateCcw } from 'lucide-react';
import { deactivateProject, reactivateProject } from '../../api/projects.ts';
import { lazyPart } from '../../app/routing/lazy-page.ts';
import { IconButton } from '../../components/buttons/icon-button.tsx';
import { toast, toastFailure } from '../../components/feedback/toasts.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../components/overlays/menu.tsx';

const EditPortal = lazyPart(async () => (await import('./edit-portal.tsx')).EditPortal);

const EditProject = lazyPart(async () => (await import('./edit-project.tsx')).EditProject);

export type Act = 'edit' | 'portal' | 'deactivate' | 'reactivate';

interface ProjectMenuProps {
  readonly project: Project;
  onAct(act: Act): void;
}

export function ProjectMenu({ project, onAct }: ProjectMenuProps) {
  const label = `Actions for ${project.name}`;
  return (
    <Menu
      label={label}
      trigger={
        <IconButton label={label}>
          <EllipsisVertical />
        </IconButton>
      }
    >
      <MenuItem icon={<Pencil />} onSelect={() => onAct('edit')}>
        Edit…
      </MenuItem>
      <MenuItem icon={<PanelsTopLeft />} onSelect={() => onAct('portal')}>
        Customer portal…
      </MenuItem>
      <MenuSeparator />
      {project.isActive ? (
        <MenuItem icon={<Power />} danger onSelect={() => onAct('deactivate')}>
          Deactivate…
        </MenuItem>
      ) : (
        <MenuItem icon={<RotateCcw />} onSelect={() => onAct('reactivate')}>
          Reactivate…
        </MenuItem>
      )}
    </Menu>
  );
}

async function reactivate({ id, name }: Project): Promise<void> {
  try {
    await reactivateProject(id);
    toast({ text: `${name} was reactivated. Its keys work again.` });
  } catch (error) {
    toastFailure(error);
  }
}

interface ProjectDialogProps {
  readonly act: Act;
  readonly project: Project;
  onClose(): void;
}

export function ProjectDialog({ act, project, onClose }: ProjectDialogProps) {
  if (act === 'edit') return <EditProject {...{ project, onClose }} />;
  if (act === 'portal') return <EditPortal {...{ project, onClose }} />;
  if (act === 'reactivate')
    return (
      <Confirm
        open
        onClose={onClose}
        title={`Reactivate ${project.name}?`}
        consequences="Its keys, access keys and webhooks work again immediately, and deliveries on hold are sent."
        action="Reactivate"
        onConfirm={() => reactivate(project)}
      />
    );
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Deactivate ${project.name}?`}
      consequences={
        <>
          Until you reactivate it:
          <ul className="mt-2 list-disc pl-5">
            <li>its keys are refused with 404, so customers who use them lose access</li>
            <li>its access keys are rejected with 401</li>
            <li>its webhooks send nothing, and queued deliveries are on hold</li>
          </ul>
          <p className="mt-2">
            Open portal sessions end now: those customers need a new link. Reactivating the project
            restores everything else.
          </p>
        </>
      }
      action="Deactivate"
      danger
      {...(project.env === 'live' && { typeToConfirm: project.name })}
      onConfirm={async () => {
        await deactivateProject(project.id);
        toast({
          text: `${project.name} was deactivated.`,
          action: { label: 'Undo', run: () => reactivate(project) },
        });
      }}
    />
  );
}
