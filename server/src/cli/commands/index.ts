import type { Command } from '../command.ts';
import { accessKeyCommands } from './access-keys.ts';
import { accountCommands } from './accounts.ts';
import { auditCommands } from './audit/index.ts';
import { completionCommand } from './completion.ts';
import { databaseCommands } from './database.ts';
import { doctorCommands } from './doctor/index.ts';
import { edgeCommands } from './edge.ts';
import { importCommands } from './import/index.ts';
import { initCommands } from './init/index.ts';
import { invitationCommands } from './invitations.ts';
import { keyCommands } from './keys/index.ts';
import { mcpCommands } from './mcp/index.ts';
import { moveCommands } from './move/index.ts';
import { peopleCommands } from './people.ts';
import { creditCommands } from './plans/credits.ts';
import { customerCommands } from './plans/customers.ts';
import { planCommands } from './plans/plans.ts';
import { portalCommands } from './portal.ts';
import { profileCommands } from './profiles.ts';
import { projectCommands } from './projects.ts';
import { refusalCommands } from './refusals.ts';
import { scanCommands } from './scan/index.ts';
import { serverCommands } from './server.ts';
import { statusCommands } from './status.ts';
import { usageCommands } from './usage.ts';
import { webhookCommands } from './webhooks/index.ts';

export const COMMANDS: readonly Command[] = [
  ...serverCommands,
  ...initCommands,
  ...doctorCommands,
  ...statusCommands,
  ...profileCommands,
  ...edgeCommands,
  ...databaseCommands,
  ...moveCommands,
  ...importCommands,
  ...keyCommands,
  ...planCommands,
  ...customerCommands,
  ...creditCommands,
  ...portalCommands,
  ...accessKeyCommands,
  ...projectCommands,
  ...accountCommands,
  ...invitationCommands,
  ...peopleCommands,
  ...usageCommands,
  ...refusalCommands,
  ...scanCommands,
  ...webhookCommands,
  ...auditCommands,
  ...mcpCommands,
  completionCommand(() => COMMANDS),
];
