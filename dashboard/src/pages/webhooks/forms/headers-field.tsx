import { Plus, X } from 'lucide-react';
import { Button } from '../../../components/buttons/button.tsx';
import { IconButton } from '../../../components/buttons/icon-button.tsx';
import { TextField } from '../../../components/forms/field.tsx';
import type { HeaderRow } from './webhook-draft.ts';

interface HeadersFieldProps {
  readonly rows: readonly HeaderRow[];
  onChange(rows: readonly HeaderRow[]): void;
  readonly error?: string | undefined;
}

const HEADERS_MAX = 20;

export function HeadersField({ rows, onChange, error }: HeadersFieldProps) {
  const change = (row: number, part: Partial<HeaderRow>) =>
    onChange(rows.map((one) => (one.row === row ? { ...one, ...part } : one)));
  const add = () => {
    const row = Math.max(-1, ...rows.map((one) => one.row)) + 1;
    onChange([...rows, { row, name: '', value: '' }]);
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 font-medium text-sm">
        Custom headers<span className="ml-1.5 font-normal text-faint">optional</span>
      </legend>
      {rows.map(({ row, name, value }, index) => (
        <div key={row} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <TextField
              label={`Header ${index + 1} name`}
              labelHidden
              placeholder="x-tenant"
              mono
              value={name}
              onChange={(text) => change(row, { name: text })}
              autoComplete="off"
            />
          </div>
          <div className="min-w-0 flex-1">
            <TextField
              label={`Header ${index + 1} value`}
              labelHidden
              placeholder="acme"
              mono
              value={value}
              onChange={(text) => change(row, { value: text })}
              autoComplete="off"
            />
          </div>
          <IconButton
            label={`Remove header ${index + 1}`}
            onClick={() => onChange(rows.filter((one) => one.row !== row))}
          >
            <X />
          </IconButton>
        </div>
      ))}
      {rows.length < HEADERS_MAX && (
        <div>
          <Button size="sm" icon={<Plus />} onClick={add}>
            Add header
          </Button>
        </div>
      )}
      {error && (
        <p role="alert" className="text-bad text-sm">
          {error}
        </p>
      )}
      <p className="text-faint text-sm">
        Sent with every delivery and test, for example to authenticate with a gateway. Values are
        stored encrypted and shown masked. A masked value stays the same unless you replace it.
      </p>
    </fieldset>
  );
}
