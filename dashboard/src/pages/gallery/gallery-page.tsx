import { EllipsisVertical, KeyRound, Plus, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { ThemeSwitch } from '../../app/theme-switch.tsx';
import { Badge, EnvBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { DateTime } from '../../components/date-time.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx';
import { Notice, type Tone } from '../../components/notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { Sheet } from '../../components/sheet.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { toast } from '../../components/toasts.tsx';
import { GalleryCharts } from './gallery-charts.tsx';
import { GalleryFields } from './gallery-fields.tsx';
import { GalleryTable } from './gallery-table.tsx';

const TONES: readonly Tone[] = ['neutral', 'accent', 'good', 'warn', 'bad'];

/** Every component in its states, to be looked at; not linked from anywhere. */
export function GalleryPage() {
  const [open, setOpen] = useState<'dialog' | 'sheet' | 'confirm' | 'secret' | null>(null);
  const close = () => setOpen(null);
  const before = useMemo(() => Date.now() - 3 * 60_000, []);
  return (
    <main id="content" className="mx-auto flex max-w-5xl flex-col gap-6 p-4 sm:p-8">
      <PageHeader
        title="Gallery"
        description="Components in their states."
        actions={<ThemeSwitch />}
      />
      <Card title="Buttons and menus">
        <div className="flex flex-wrap items-center gap-3">
          <Button kind="solid" icon={<Plus />}>
            Solid
          </Button>
          <Button>Outline</Button>
          <Button kind="quiet">Quiet</Button>
          <Button kind="danger" icon={<Trash2 />} onClick={() => setOpen('confirm')}>
            Revoke…
          </Button>
          <Button busy>Busy</Button>
          <Button disabled>Disabled</Button>
          <Button onClick={() => setOpen('dialog')}>Dialog</Button>
          <Button onClick={() => setOpen('sheet')}>Sheet</Button>
          <Button onClick={() => setOpen('secret')}>Secret</Button>
          <Button
            onClick={() => toast({ text: 'Key revoked.', action: { label: 'Undo', run: close } })}
          >
            Toast
          </Button>
          <Menu
            trigger={
              <IconButton label="More">
                <EllipsisVertical />
              </IconButton>
            }
          >
            <MenuItem onSelect={close} keys="e">
              Edit
            </MenuItem>
            <MenuSeparator />
            <MenuItem onSelect={close} danger icon={<Trash2 />}>
              Erase
            </MenuItem>
          </Menu>
        </div>
      </Card>
      <Card title="Marks">
        <div className="flex flex-wrap items-center gap-4">
          {TONES.map((tone) => (
            <Badge key={tone} tone={tone}>
              {tone}
            </Badge>
          ))}
          <EnvBadge env="live" />
          <EnvBadge env="test" />
          {TONES.map((tone) => (
            <StatusDot key={tone} tone={tone}>
              {tone}
            </StatusDot>
          ))}
          <DateTime at={before} />
        </div>
        <div className="mt-4 grid gap-3 sm:grid-cols-2">
          {TONES.map((tone) => (
            <Notice key={tone} tone={tone} title={`A ${tone} notice`}>
              It says what to do.
            </Notice>
          ))}
          <CopyField value="prj_01kx3v9q2m7t5c8r4w6y0z1a2b" label="Copy id" />
        </div>
      </Card>
      <GalleryFields />
      <GalleryCharts />
      <GalleryTable />
      <Card>
        <EmptyState
          icon={<KeyRound />}
          title="No keys yet"
          action={<Button kind="solid">Create a key</Button>}
          example={{
            label: 'curl',
            code: `curl -s ${location.origin}/api-keys -d '{"name":"first"}'`,
          }}
        >
          A key lets one of your customers call your API.
        </EmptyState>
      </Card>
      <Dialog
        open={open === 'dialog'}
        onClose={close}
        title="A dialog"
        description="It says what it is for."
        footer={<Button onClick={close}>Done</Button>}
      >
        <p>Content.</p>
      </Dialog>
      <Sheet open={open === 'sheet'} onClose={close} title="A sheet">
        <p className="p-5">Content.</p>
      </Sheet>
      <Dialog
        open={open === 'secret'}
        onClose={close}
        title="Key created"
        size="md"
        closesOnBackdrop={false}
      >
        <SecretOnce
          what="API key"
          value="live_4fQv0bXgq1R8tZk2Yw6Jc3Lm9Np5Hs7Du0Ea1Vb2Wx3Cy4Zd"
          example={{ label: 'curl', code: 'curl -s …' }}
        />
      </Dialog>
      <Confirm
        open={open === 'confirm'}
        onClose={close}
        title="Revoke “Billing, production”?"
        consequences="Calls with this key are refused from the next second. You can reactivate it."
        action="Revoke"
        danger
        onConfirm={async () => {}}
      />
    </main>
  );
}
