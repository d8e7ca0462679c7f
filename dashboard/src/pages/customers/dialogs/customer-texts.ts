import type { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import type { FormTexts } from '../../../fields/control.ts';

/** Where the form says something else than the description. */
export const CUSTOMER_TEXTS: FormTexts<typeof CUSTOMER> = {
  customAccountId: {
    hint: 'The ID of the customer in your system. Settings apply to all keys with this ID, and it cannot be changed later.',
  },
  name: { hint: null, placeholder: 'Acme Inc.' },
  credits: {
    label: 'Prepaid credits of this customer',
    hint: 'Shared by all its keys. If off, the credits of the plan apply.',
  },
};
