import { useNavigate } from '@tanstack/react-router';
import type { Customer } from 'keyward';
import { EllipsisVertical, KeyRound, Pencil, Trash2 } from 'lucide-react';
import { changeCustomerCredits, deleteCustomer } from '../../../api/customers.ts';
import { useShortcut } from '../../../app/browser/shortcuts.ts';
import { lazyPart } from '../../../app/routing/lazy-page.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { IconButton } from '../../../components/buttons/icon-button.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Confirm } from '../../../components/overlays/confirm.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../components/overlays/menu.tsx';
import { CreditsDialog } from '../../policies/lazy-credits-dialog.ts';

const EditCustomer = lazyPart(
  async () => (await import('../dialogs/customer-dialogs.tsx')).EditCustomer,
);

export type CustomerDialogName = 'edit' | 'credits' | 'delete';

const nameOf = ({ name, customAccountId }: Customer): string => name ?? customAccountId;

interface CustomerActionsProps {
  readonly customer: Customer;
  onOpen(dialog: CustomerDialogName): void;
}

export function CustomerActions({ customer, onOpen }: CustomerActionsProps) {
  const navigate = useNavigate();
  const mayWrite = useMay('customers:write');
  const mayCreateKeys = useMay('keys:write');
  useShortcut('e', 'Edit this customer', () => onOpen('edit'), { enabled: mayWrite });
  if (!mayWrite) return null;
  const createKey = () =>
    void navigate({
      to: '/p/$projectId/keys',
      params: { projectId: customer.projectId },
      search: { account: customer.customAccountId, create: true },
    });
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
        {mayCreateKeys && (
          <>
            <MenuItem icon={<KeyRound />} onSelect={createKey}>
              Create key…
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

interface CustomerDialogsProps {
  readonly open: CustomerDialogName;
  readonly customer: Customer;
  onClose(): void;
}

export function CustomerDialogs({ open, customer, onClose }: CustomerDialogsProps) {
  switch (open) {
    case 'edit':
      return <EditCustomer {...{ customer, onClose }} />;
    case 'credits':
      return (
        <CreditsDialog
          name={nameOf(customer)}
          credits={customer.credits}
          change={(body, idempotencyKey) =>
            changeCustomerCredits(customer.id, body, idempotencyKey)
          }
          onClose={onClose}
        />
      );
    case 'delete':
      return <DeleteCustomer {...{ customer, onClose }} />;
  }
}

const DeleteCustomer = ({ customer, onClose }: Omit<CustomerDialogsProps, 'open'>) => (
  <Confirm
    open
    onClose={onClose}
    title={`Delete ${nameOf(customer)}?`}
    consequences="Its keys stay and keep working, but without the plan, limits and permissions of this customer. Its credits are lost. This cannot be undone. The audit log keeps its settings."
    action="Delete"
    danger
    typeToConfirm={customer.customAccountId.length > 60 ? 'delete' : customer.customAccountId}
    onConfirm={async () => {
      await deleteCustomer(customer.id);
      toast({ text: `${nameOf(customer)} was deleted.` });
    }}
  />
);
