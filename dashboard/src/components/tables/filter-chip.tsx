import { CirclePlus, X } from 'lucide-react';
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { cx } from '../cx.ts';
import { Menu, MenuItem } from '../overlays/menu.tsx';
import { Popover } from '../overlays/popover.tsx';

interface ChipProps {
  readonly label: string;
  /** Text of the active filter; undefined if it is not active. */
  readonly value: string | undefined;
  onRemove(): void;
}

interface FilterMenuProps<Value extends string> extends Omit<ChipProps, 'value'> {
  readonly chosen: Value | undefined;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  onChoose(value: Value): void;
}

/** A filter with a few possible values. */
export function FilterMenu<Value extends string>(props: FilterMenuProps<Value>) {
  const { label, chosen, options, onChoose, onRemove } = props;
  const value = options.find((option) => option.value === chosen)?.label;
  return (
    <Chip label={label} value={value} onRemove={onRemove}>
      {(trigger) => (
        <Menu align="start" label={label} trigger={trigger}>
          {options.map((option) => (
            <MenuItem
              key={option.value}
              checked={option.value === chosen}
              onSelect={() => onChoose(option.value)}
            >
              {option.label}
            </MenuItem>
          ))}
        </Menu>
      )}
    </Chip>
  );
}

interface FilterPopoverProps extends ChipProps {
  children(close: () => void): ReactNode;
}

/** A filter whose value is typed. */
export const FilterPopover = ({ children, ...chip }: FilterPopoverProps) => (
  <Chip {...chip}>
    {(trigger) => (
      <Popover label={chip.label} trigger={trigger}>
        {children}
      </Popover>
    )}
  </Chip>
);

/** A filter that was set by a link and can only be removed. */
export const FilterTag = (props: ChipProps) => (
  <Chip {...props}>
    {() => (
      <span className="flex h-full min-w-0 items-center gap-1.5 pl-2.5">
        <span className="text-muted">{props.label}</span>
        <span className="max-w-48 truncate font-medium">{props.value}</span>
      </span>
    )}
  </Chip>
);

interface ChipFrameProps extends ChipProps {
  children(trigger: ReactNode): ReactNode;
}

function Chip({ label, value, onRemove, children }: ChipFrameProps) {
  const isOn = value !== undefined;
  return (
    <span
      className={cx(
        'inline-flex h-8 min-w-0 max-w-full items-center rounded-full border text-sm max-sm:h-9',
        isOn ? 'border-line-strong bg-surface' : 'border-line-strong border-dashed',
      )}
    >
      {children(<ChipButton label={label} value={value} />)}
      {isOn && (
        <button
          type="button"
          aria-label={`Remove filter ${label}: ${value}`}
          onClick={onRemove}
          className="mr-1 ml-0.5 inline-flex size-6 shrink-0 items-center justify-center rounded-full text-muted hover:bg-hover hover:text-ink"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      )}
    </span>
  );
}

interface ChipButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly label: string;
  readonly value: string | undefined;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** Receives the props that a menu or popover passes to its trigger. */
const ChipButton = ({ label, value, ...rest }: ChipButtonProps) => (
  <button
    type="button"
    {...rest}
    aria-label={value === undefined ? `Filter by ${label}` : `${label}: ${value}`}
    className="flex h-full min-w-0 items-center gap-1.5 rounded-full px-2.5 text-muted hover:text-ink aria-expanded:text-ink"
  >
    {value === undefined && <CirclePlus aria-hidden className="size-3.5 shrink-0" />}
    {label}
    {value !== undefined && <span className="max-w-40 truncate font-medium text-ink">{value}</span>}
  </button>
);
