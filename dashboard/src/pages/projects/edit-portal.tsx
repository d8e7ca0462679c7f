import { PROJECT } from '@keyward/rules/resources/project.ts';
import type { Project } from 'keyward';
import { useState } from 'react';
import { fetchProject, updateProject } from '../../api/projects.ts';
import { Button } from '../../components/buttons/button.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Field, TextField } from '../../components/forms/field.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { DRAFTS } from '../../fields/drafts.ts';
import { OriginsControl } from '../../fields/list-controls.tsx';
import { useEdit } from '../../hooks/use-edit.ts';

const SITES = DRAFTS.origins;
const LOGO_BYTES_MAX = 32 * 1024;
const DEFAULT_COLOR = '#3b5bdb';

interface EditPortalProps {
  readonly project: Project;
  onClose(): void;
}

/** Branding of the portal, where customers manage their keys, and the sites that may embed it. */
export function EditPortal({ project, onClose }: EditPortalProps) {
  const [name, setName] = useState(project.branding.name ?? '');
  const [accentColor, setAccentColor] = useState(project.branding.accentColor);
  const [logo, setLogo] = useState(project.branding.logo);
  const [origins, setOrigins] = useState(SITES.draftOf(project.portalOrigins));
  const edit = useEdit(settingsOf(project), {
    read: async () => settingsOf(await fetchProject(project.id)),
    save: ({ portalOrigins, ...branding }, seen) =>
      updateProject(
        project.id,
        { branding, ...(portalOrigins && { portalOrigins }) },
        seen.updatedAt,
      ),
  });

  async function submit() {
    const { value: portalOrigins } = SITES.read(origins);
    if (!(await edit.run({ name: name.trim() || null, logo, accentColor, portalOrigins }))) return;
    toast({ text: `The portal of ${project.name} was saved.` });
    onClose();
  }

  return (
    <FormDialog
      onClose={onClose}
      title={`Portal of ${project.name}`}
      input={{ name, accentColor, logo, origins }}
      action="Save"
      busy={edit.busy}
      failure={edit.failure}
      conflicts={edit.conflicts}
      onSubmit={submit}
    >
      <p className="text-muted text-sm">
        In the portal, your customers create, rotate and revoke their own keys.
      </p>
      <TextField
        label="Name"
        optional
        hint="What customers see, for example the name of your product."
        value={name}
        onChange={setName}
        maxLength={256}
        autoComplete="off"
      />
      <LogoField value={logo} onChange={setLogo} />
      <ColorField value={accentColor} onChange={setAccentColor} />
      <OriginsControl
        field={PROJECT.portalOrigins}
        label="Sites"
        hint="Sites that may embed the portal or use its React components, and that it may link back to. One per line, for example https://app.example.com."
        value={origins}
        before={origins}
        error={null}
        onChange={setOrigins}
      />
    </FormDialog>
  );
}

/**
 * The branding is flat, so that only its changed fields are sent. If another user has replaced the logo
 * meanwhile, the server would reject the path of the old one.
 */
const settingsOf = ({ updatedAt, branding, portalOrigins }: Project) => ({
  updatedAt,
  ...branding,
  portalOrigins,
});

interface LogoFieldProps {
  readonly value: string | null;
  onChange(value: string | null): void;
}

function LogoField({ value, onChange }: LogoFieldProps) {
  const [error, setError] = useState<string | null>(null);

  async function choose(file: File | undefined) {
    if (file === undefined) return;
    const isSmall = file.size <= LOGO_BYTES_MAX;
    setError(isSmall ? null : 'The image is larger than 32 KB. Choose a smaller one.');
    if (isSmall) onChange(await dataUrlOf(file));
  }

  return (
    <Field label="Logo" optional hint="A PNG image of at most 32 KB." error={error}>
      {(control) => (
        <div className="flex items-center gap-3">
          {value !== null && (
            <img src={value} alt="Current logo" className="size-10 rounded-md object-contain" />
          )}
          <input
            {...control}
            type="file"
            accept="image/png"
            className="min-w-0 text-sm"
            onChange={(event) => choose(event.target.files?.[0])}
          />
          {value !== null && (
            <Button size="sm" onClick={() => onChange(null)}>
              Remove
            </Button>
          )}
        </div>
      )}
    </Field>
  );
}

const dataUrlOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

interface ColorFieldProps {
  readonly value: string | null;
  onChange(value: string | null): void;
}

const ColorField = ({ value, onChange }: ColorFieldProps) => (
  <Field label="Accent color" optional hint="The color of buttons and links.">
    {(control) => (
      <div className="flex items-center gap-3">
        <input
          {...control}
          type="color"
          value={value ?? DEFAULT_COLOR}
          className="h-9 w-14 rounded-md border border-edge bg-surface p-1"
          onChange={(event) => onChange(event.target.value)}
        />
        <span className="text-muted text-sm">{value ?? 'Default'}</span>
        {value !== null && (
          <Button size="sm" onClick={() => onChange(null)}>
            Use the default
          </Button>
        )}
      </div>
    )}
  </Field>
);
