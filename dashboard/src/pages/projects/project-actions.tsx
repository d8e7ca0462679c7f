import { EllipsisVertical, Pencil, Power, RotateCcw } from 'lucide-react';
import { deactivateProject, reactivateProject } from '../../api/projects.ts';
import type { Project } from '../../api/records.ts';
import { IconButton } from '../../components/buttons/icon-button.tsx';
import { toast, toastFailure } from '../../components/feedback/toasts.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../components/overlays/menu.tsx';
import { RenameProject } from './rename-project.tsx';

export type Act = 'rename' | 'deactivate';

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
      <MenuItem icon={<Pencil />} onSelect={() => onAct('rename')}>
        Rename
      </MenuItem>
      <MenuSeparator />
      {project.isActive ? (
        <MenuItem icon={<Power />} danger onSelect={() => onAct('deactivate')}>
          Deactivate
        </MenuItem>
      ) : (
        <MenuItem icon={<RotateCcw />} onSelect={() => reactivate(project)}>
          Reactivate
        </MenuItem>
      )}
    </Menu>
  );
}

async function reactivate({ id, name }: Project): Promise<void> {
  try {
    await reactivateProject(id);
    toast({ text: `${name} is active again, and so are its keys.` });
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
  if (act === 'rename') return <RenameProject {...{ project, onClose }} />;
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Deactivate ${project.name}?`}
      consequences={
        <>
          From this moment, until you reactivate it:
          <ul className="mt-2 list-disc pl-5">
            <li>each of its keys is refused with 404: customers who use them are shut out</li>
            <li>each of its access keys is refused with 401</li>
            <li>its webhooks send nothing; what waits is held</li>
          </ul>
          <p className="mt-2">Nothing is erased. Reactivating it restores all as it was.</p>
        </>
      }
      action="Deactivate"
      danger
      {...(project.env === 'live' && { typeToConfirm: project.name })}
      onConfirm={async () => {
        await deactivateProject(project.id);
        toast({
          text: `Deactivated ${project.name}.`,
          action: { label: 'Undo', run: () => reactivate(project) },
        });
      }}
    />
  );
}
