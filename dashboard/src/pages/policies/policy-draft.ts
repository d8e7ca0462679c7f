import { type Errors, hasChanged } from '../../hooks/use-draft.ts';
import { checkLimitRows, type LimitRow, limitRows } from '../../text/limits/limit-rows.ts';
import type { NamedLimit } from '../../text/limits/limits.ts';
import { addressesProblem, itemsOf, permissionsProblem } from '../../text/limits/policies.ts';

/** The fields that the forms of plans, customers and keys share. */
export interface PolicyDraft {
  /** One per line. */
  readonly permissions: string;
  readonly allowedIPs: string;
  readonly limits: readonly LimitRow[];
}

export interface PolicyBody {
  permissions?: string[];
  allowedIPs?: string[] | null;
  limits?: NamedLimit[];
}

export const EMPTY_POLICIES: PolicyDraft = { permissions: '', allowedIPs: '', limits: [] };

interface Policies {
  readonly permissions: readonly string[];
  readonly allowedIPs: readonly string[] | null;
  readonly limits: readonly NamedLimit[];
}

export const policyDraft = ({ permissions, allowedIPs, limits }: Policies): PolicyDraft => ({
  permissions: permissions.join('\n'),
  allowedIPs: allowedIPs?.join('\n') ?? '',
  limits: limitRows(limits),
});

/** The changed fields to send, and the errors by field. */
export function checkPolicies(draft: PolicyDraft, initial: PolicyDraft) {
  const errors: { -readonly [Field in keyof PolicyDraft]?: string } = {};
  const body: PolicyBody = {};
  const permissions = permissionsProblem(draft.permissions);
  if (permissions !== null) errors.permissions = permissions;
  else if (hasChanged(draft, initial, 'permissions')) body.permissions = itemsOf(draft.permissions);
  const addresses = addressesProblem(draft.allowedIPs);
  if (addresses !== null) errors.allowedIPs = addresses;
  else if (hasChanged(draft, initial, 'allowedIPs')) body.allowedIPs = listOf(draft.allowedIPs);
  const limits = checkLimitRows(draft.limits);
  if (!limits.ok) errors.limits = limits.message;
  else if (hasChanged(draft, initial, 'limits')) body.limits = limits.limits;
  return { errors, body };
}

/** The items of a text; null if there are none. */
export function listOf(text: string): string[] | null {
  const items = itemsOf(text);
  return items.length === 0 ? null : items;
}

/** An error of the server, by the field of the form with the same name. */
export const errorOfField = <Draft>(
  fields: readonly (keyof Draft & string)[],
  message: string | null,
  field: string | null,
): Errors<Draft> | null => {
  const own = fields.find((name) => name === field);
  return message === null || own === undefined ? null : ({ [own]: message } as Errors<Draft>);
};
