import { type FormEvent, useState } from 'react';
import { Button } from '../buttons/button.tsx';
import { Checkbox } from '../forms/checkbox.tsx';
import { TextField } from '../forms/field.tsx';
import { FilterPopover } from './filter-chip.tsx';

export interface CustomerChoice {
  readonly account?: string | undefined;
  readonly user?: string | undefined;
}

/** Value in the API for keys without such an id. */
const UNSET = 'null';

interface CustomerFilterProps extends CustomerChoice {
  onChange(customer: CustomerChoice): void;
}

/** Filters by the customer ids of keys. */
export function CustomerFilter({ account, user, onChange }: CustomerFilterProps) {
  return (
    <FilterPopover
      label="Customer"
      value={customerText({ account, user })}
      onRemove={() => onChange({ account: undefined, user: undefined })}
    >
      {(close) => (
        <CustomerForm
          account={account}
          user={user}
          onChange={(customer) => {
            close();
            onChange(customer);
          }}
        />
      )}
    </FilterPopover>
  );
}

function customerText({ account, user }: CustomerChoice): string | undefined {
  if (account === undefined && user === undefined) return undefined;
  if (isNone({ account, user })) return 'None';
  return [account, user]
    .filter((id) => id !== undefined)
    .map((id) => (id === UNSET ? 'none' : id))
    .join(' · ');
}

const isNone = ({ account, user }: CustomerChoice) => account === UNSET && user === UNSET;

const inputOf = (id: string | undefined) => (id === undefined || id === UNSET ? '' : id);

function CustomerForm({ account, user, onChange }: CustomerFilterProps) {
  const [accountId, setAccountId] = useState(inputOf(account));
  const [userId, setUserId] = useState(inputOf(user));
  const [none, setNone] = useState(isNone({ account, user }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(
      none
        ? { account: UNSET, user: UNSET }
        : { account: accountId.trim() || undefined, user: userId.trim() || undefined },
    );
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label="Customer ID"
        placeholder="cus_123"
        value={accountId}
        onChange={setAccountId}
        disabled={none}
        maxLength={256}
        autoComplete="off"
      />
      <TextField
        label="User ID"
        value={userId}
        onChange={setUserId}
        disabled={none}
        maxLength={256}
        autoComplete="off"
      />
      <Checkbox label="Only keys without a customer" checked={none} onChange={setNone} />
      <Button kind="solid" type="submit">
        Apply
      </Button>
    </form>
  );
}
