import { Eye } from 'lucide-react';
import { Popover } from '../../components/overlays/popover.tsx';
import { useAccount } from '../current.ts';
import { useRole } from '../session/permissions.ts';

/** Explains to viewers why they cannot change anything. */
export function ViewOnly() {
  const role = useRole();
  return role === 'viewer' ? <ViewOnlyMark /> : null;
}

const ViewOnlyMark = () => {
  const { name } = useAccount();
  return (
    <Popover
      label="View only"
      trigger={
        <button
          type="button"
          className="flex h-7 shrink-0 items-center gap-1.5 rounded-full bg-hover px-2.5 font-medium text-muted text-sm hover:text-ink"
        >
          <Eye aria-hidden className="size-4" />
          View only
        </button>
      }
    >
      {() => (
        <p className="text-sm">
          Your role in {name} is Viewer. You can see everything here, but not change it. Ask an
          owner or admin for another role.
        </p>
      )}
    </Popover>
  );
};
