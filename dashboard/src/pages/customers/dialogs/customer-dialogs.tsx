import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import type { Customer } from 'keyward';
import { createCustomer, fetchCustomer, updateCustomer } from '../../../api/customers.ts';
import { usePlanName } from '../../../api/plans.ts';
import { useProject } from '../../../app/current.ts';
import { toast } from '../../../components/feedback/toasts.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { FieldControls } from '../../../fields/controls.tsx';
import { changeable } from '../../../fields/drafts.ts';
import { useEditDraft, useNewDraft } from '../../../fields/use-field-draft.ts';
import { useCreation } from '../../../hooks/use-action.ts';
import { useEdit } from '../../../hooks/use-edit.ts';
import { withoutRemaining } from '../../../text/limits/credits.ts';
import { CUSTOMER_TEXTS } from './customer-texts.ts';

interface CreateCustomerProps {
  /** Prefilled, for an id that keys already have. */
  readonly customAccountId?: string;
  onClose(): void;
  onCreated(customer: Customer): void;
}

export function CreateCustomer({ customAccountId = '', onClose, onCreated }: CreateCustomerProps) {
  const project = useProject();
  const create = useCreation(createCustomer);
  const { draft, form, failure, check } = useNewDraft(CUSTOMER, create, { customAccountId });

  async function submit() {
    const checked = check();
    if (!checked.ok) return;
    const customer = await create.run({ ...checked.body, projectId: project.id });
    if (!customer) return;
    toast({ text: `${customer.name ?? customer.customAccountId} was created.` });
    onCreated(customer);
  }

  return (
    <FormDialog
      onClose={onClose}
      size="lg"
      title="Create customer"
      description={`In ${project.name}. Its settings apply to existing and new keys with its ID.`}
      input={draft}
      action="Create customer"
      busy={create.busy}
      failure={failure}
      onSubmit={submit}
    >
      <FieldControls {...form} texts={CUSTOMER_TEXTS} />
    </FormDialog>
  );
}

const CHANGEABLE = changeable(CUSTOMER);

interface EditCustomerProps {
  readonly customer: Customer;
  onClose(): void;
}

export function EditCustomer({ customer, onClose }: EditCustomerProps) {
  const edit = useEdit(withoutRemaining(customer), {
    planName: usePlanName(customer.projectId),
    read: async () => withoutRemaining(await fetchCustomer(customer.id)),
    save: (changes, { updatedAt }) => updateCustomer(customer.id, changes, updatedAt),
  });
  const { draft, form, failure, check } = useEditDraft(CHANGEABLE, edit, customer);

  async function submit() {
    const checked = check();
    if (!checked.ok) return;
    if (!(await edit.run(checked.body))) return;
    onClose();
    toast({ text: 'Customer saved. Changes take effect immediately.' });
  }

  return (
    <FormDialog
      onClose={onClose}
      size="lg"
      title="Edit customer"
      description={`Customer ID: ${customer.customAccountId}. To change what is left of its credits, use Change credits.`}
      input={draft}
      action="Save"
      busy={edit.busy}
      failure={failure}
      conflicts={edit.conflicts}
      onSubmit={submit}
    >
      <FieldControls {...form} texts={CUSTOMER_TEXTS} />
    </FormDialog>
  );
}
