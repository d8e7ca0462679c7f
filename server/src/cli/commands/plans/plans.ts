import type { Command } from '../../command.ts';
import { crudCommands } from '../../crud-commands.ts';
import { previewPlan } from './preview.ts';

export const planCommands: readonly Command[] = [
  ...crudCommands('plans', {
    create: {
      details:
        'Assign it with --plan of keys and customers, or with projects update --default-plan.',
      examples: [
        'npx keyward plans create --name Pro --limit second=20/1 --limit month=1000000/30d,customer',
        'npx keyward plans create --name Free --permission documents.read --credits 1000/month',
      ],
    },
    update: {
      summary: 'Change a plan, at once for all keys that have it',
      examples: [
        'npx keyward plans update pln_… --limit day=20000/1d',
        'npx keyward plans update pln_… --clear limit',
      ],
    },
    delete: { summary: 'Delete a plan that nothing uses' },
  }),
  previewPlan,
];
