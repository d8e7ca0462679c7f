import { PROJECT } from '@keyward/rules/resources/project.ts';
import type { Project } from 'keyward';
import { Checkbox } from '../../components/forms/checkbox.tsx';
import { RadioCards } from '../../components/forms/radio-cards.tsx';
import type { Control, FormTexts } from '../../fields/control.ts';
import { without } from '../../fields/drafts.ts';

/** The default plan is chosen on the page of a plan, the sites in the settings of the portal. */
export const PROJECT_FORM = without(PROJECT, 'defaultPlanId', 'portalOrigins');

/** Where the form says something else than the description. */
export const projectTexts = (env: Project['env']): FormTexts<typeof PROJECT_FORM> => ({
  name: { hint: null, placeholder: 'Shop' },
  keyPrefix: {
    placeholder: `${env}_`,
    hint: `New keys start with it, for example acme_. Existing keys do not change. If empty, keys start with ${env}_.`,
  },
});

const EnvControl: Control<'choice'> = ({ field, value, onChange }) => (
  <>
    <RadioCards
      label={field.label}
      value={value}
      onChange={onChange}
      options={[
        { value: 'live', label: 'Live', hint: 'For production.' },
        { value: 'test', label: 'Test', hint: 'For development and testing.' },
      ]}
    />
    <p className="text-faint text-sm">The environment cannot be changed later.</p>
  </>
);

const LeakControl: Control<'choice'> = ({ value, onChange }) => (
  <Checkbox
    label="Revoke leaked keys"
    hint="When the value of a key or access key is reported as leaked. Otherwise you are only notified."
    checked={value === 'revoke'}
    onChange={(isChecked) => onChange(isChecked ? 'revoke' : 'notify')}
  />
);

/** Choices that are easier to understand with a text for each option. */
export const PROJECT_CONTROLS = { env: EnvControl, onLeak: LeakControl };
