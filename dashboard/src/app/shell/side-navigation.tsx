import { Link } from '@tanstack/react-router';
import { useCurrent } from '../current.ts';
import { EnvSwitch } from './env-switch.tsx';
import { ACCOUNT_PAGES, type NavigationItem, PROJECT_PAGES } from './navigation.ts';
import { ProjectSwitcher } from './project-switcher.tsx';

export function SideNavigation({ onGo }: { readonly onGo?: () => void }) {
  const { account, project } = useCurrent();
  return (
    <nav aria-label="Main" className="flex flex-1 flex-col gap-5 overflow-y-auto p-3">
      <div className="flex flex-col gap-2">
        <ProjectSwitcher />
        {project && <EnvSwitch project={project} onGo={onGo} />}
      </div>
      {project && (
        <Section>
          {PROJECT_PAGES.map((page) => (
            <SideLink key={page.to} page={page} onGo={onGo} ids={{ projectId: project.id }} />
          ))}
        </Section>
      )}
      <Section label={account?.name}>
        {ACCOUNT_PAGES.filter(({ to }) => account || to === '/settings').map((page) => (
          <SideLink key={page.to} page={page} onGo={onGo} ids={{ accountId: account?.id }} />
        ))}
      </Section>
    </nav>
  );
}

function Section({ label, children }: { label?: string | undefined; children: React.ReactNode }) {
  return (
    <div>
      {label && <p className="truncate px-2.5 pb-1 text-faint text-xs">{label}</p>}
      <ul className="flex flex-col gap-px">{children}</ul>
    </div>
  );
}

interface SideLinkProps {
  readonly page: NavigationItem;
  readonly ids: { readonly projectId?: string; readonly accountId?: string | undefined };
  readonly onGo: (() => void) | undefined;
}

function SideLink({ page: { to, label, Icon }, ids, onGo }: SideLinkProps) {
  return (
    <li>
      <Link
        to={to}
        params={ids}
        activeOptions={{ exact: to === '/p/$projectId', includeSearch: false }}
        onClick={onGo}
        className="flex h-8 items-center gap-2.5 rounded-md px-2.5 font-medium text-muted transition-colors duration-100 hover:bg-hover hover:text-ink aria-[current=page]:bg-pressed aria-[current=page]:text-ink max-lg:h-10"
      >
        <Icon aria-hidden className="size-4 shrink-0" />
        {label}
      </Link>
    </li>
  );
}
