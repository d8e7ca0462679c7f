import { useState } from 'react';
import { createCustomer, fetchCustomer, updateCustomer } from '../../../api/customers.ts';
import { usePlanName } from '../../../api/plans.ts';
import type { Customer } from '../../../api/records.ts';
import { useProject } from '../../../app/current.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ActionFailure } from '../../../components/feedback/notice.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { EditConflicts } from '../../../components/forms/edit-conflicts.tsx';
import {
  CancelButton,
  Dialog,
  differs,
  UNSAVED_CHANGES,
} from '../../../components/overlays/dialog.tsx';
import { useCreation } from '../../../hooks/use-action.ts';
import { useDraft } from '../../../hooks/use-draft.ts';
import { useEdit } from '../../../hooks/use-edit.ts';
import { withoutRemaining } from '../../../text/limits/credits.ts';
import { CUSTOMER_RULES, customerDraft, emptyCustomer } from './customer-draft.ts';
import { CustomerForm } from './customer-form.tsx';

interface CreateCustomerProps {
  /** Prefilled, for an id that keys already have. */
  readonly customAccountId?: string;
  onClose(): void;
  onCreated(customer: Customer): void;
}

export function CreateCustomer({ customAccountId = '', onClose, onCreated }: CreateCustomerProps) {
  const project = useProject();
  const create = useCreation(createCustomer);
  const [initial] = useState(() => emptyCustomer(customAccountId));
  const { form, draft, errors, failure, ...state } = useDraft(initial, create, CUSTOMER_RULES);

  async function submit() {
    const checked = state.check();
    if (!checked.ok || create.busy) return;
    const id = draft.customAccountId.trim();
    const customer = await create.run({
      ...checked.body,
      customAccountId: id,
      projectId: project.id,
    });
    if (!customer) return state.focusFirstError();
    toast({ text: `${customer.name ?? id} was created.` });
    onCreated(customer);
  }

  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={differs(draft, initial) ? UNSAVED_CHANGES : null}
      closesOnBackdrop={false}
      size="lg"
      title="Create customer"
      description={`In ${project.name}. Its settings apply to existing and new keys with its ID.`}
      footer={
        <>
          <CancelButton />
          <Button kind="solid" type="submit" form={form} busy={create.busy}>
            Create customer
          </Button>
        </>
      }
    >
      <CustomerForm
        id={form}
        isNew
        {...{ draft, initial, errors }}
        onChange={state.onChange}
        onSubmit={() => void submit()}
      >
        {failure && <ActionFailure>{failure}</ActionFailure>}
      </CustomerForm>
    </Dialog>
  );
}

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
  const [initial] = useState(() => customerDraft(customer));
  const { form, draft, errors, failure, ...state } = useDraft(initial, edit, CUSTOMER_RULES);

  async function submit() {
    const checked = state.check();
    if (!checked.ok || edit.busy) return;
    const saved = await edit.run(checked.body);
    if (saved === undefined) return state.focusFirstError();
    if (!saved) return;
    onClose();
    toast({ text: 'Customer saved. Changes take effect immediately.' });
  }

  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={differs(draft, initial) ? UNSAVED_CHANGES : null}
      closesOnBackdrop={false}
      size="lg"
      title="Edit customer"
      description={`Customer ID: ${customer.customAccountId}. To change what is left of its credits, use Change credits.`}
      footer={
        <>
          <CancelButton />
          <Button kind="solid" type="submit" form={form} busy={edit.busy}>
            {edit.conflicts.length > 0 ? 'Save anyway' : 'Save'}
          </Button>
        </>
      }
    >
      <CustomerForm
        id={form}
        isNew={false}
        {...{ draft, initial, errors }}
        onChange={state.onChange}
        onSubmit={() => void submit()}
      >
        <EditConflicts conflicts={edit.conflicts} />
        {failure && <ActionFailure>{failure}</ActionFailure>}
      </CustomerForm>
    </Dialog>
  );
}
