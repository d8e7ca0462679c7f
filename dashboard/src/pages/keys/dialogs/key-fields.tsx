import type { API_KEY } from '@keyward/rules/resources/api-key.ts';
import type { ComponentProps } from 'react';
import type { FormTexts } from '../../../fields/control.ts';
import { FieldControls, PlanControl } from '../../../fields/controls.tsx';

/** Where the form says something else than the description. */
const TEXTS: FormTexts<typeof API_KEY> = {
  rateLimitConfigs: { label: 'Limit request rate' },
  limits: { label: 'More limits' },
  credits: {
    label: 'Prepaid credits of this key',
    hint: 'Each request takes its cost from them. If off, the credits of the customer or the plan apply.',
  },
  startsAt: { label: 'Starts' },
};

type Form = Omit<ComponentProps<typeof FieldControls<typeof API_KEY>>, 'texts' | 'own'>;

export const KeyFields = (form: Form) => (
  <FieldControls
    {...form}
    texts={TEXTS}
    own={{
      planId: (props) => (
        <PlanControl {...props} unset={(inherited) => `Plan of the customer, or ${inherited}`} />
      ),
    }}
  />
);
