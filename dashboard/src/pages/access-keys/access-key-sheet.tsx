import { isCurrent, keyState } from '@keyward/rules/key-state.ts';
import { ACCESS_KEY } from '@keyward/rules/resources/access-key.ts';
import { Link } from '@tanstack/react-router';
import type { AccessKey } from 'keyward';
import { Check } from 'lucide-react';
import { useLeakOf } from '../../api/leaks.ts';
import { useProject } from '../../app/current.ts';
import { useMay } from '../../app/session/permissions.ts';
import { Button } from '../../components/buttons/button.tsx';
import { CopyField } from '../../components/buttons/copy-button.tsx';
import { DateTime } from '../../components/display/date-time.tsx';
import { FactRow } from '../../components/display/fact.tsx';
import { AccessKeyLink } from '../../components/display/links.tsx';
import { LeakNotice } from '../../components/feedback/leak-notice.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { FieldFacts } from '../../fields/columns.tsx';
import { allScopes, SCOPES, type Scope, scopesText } from '../../fields/scopes.ts';
import { useNow } from '../../hooks/use-now.ts';
import { limitText } from '../../text/limits/limits.ts';
import { KeyStatus } from '../keys/key-status.tsx';
import type { Act } from './access-key-actions.tsx';

/** In the title and below. */
const SHOWN_ELSEWHERE = { name: null, scopes: null };

interface AccessKeySheetProps {
  readonly accessKey: AccessKey;
  onClose(): void;
  onAct(act: Act): void;
}

export function AccessKeySheet({ accessKey, onClose, onAct }: AccessKeySheetProps) {
  const { id: projectId } = useProject();
  const mayWrite = useMay('access-keys:write');
  const { data: leak } = useLeakOf(accessKey.id);
  const isUsable = isCurrent(keyState(accessKey, useNow()));
  return (
    <Sheet
      open
      onClose={onClose}
      title={accessKey.name}
      footer={mayWrite && <SheetActions {...{ accessKey, onAct }} />}
    >
      <div className="flex flex-col gap-6 p-5">
        {leak && isUsable && (
          <LeakNotice leak={leak} onRevoke={mayWrite ? () => onAct('revoke') : null} />
        )}
        <dl className="grid grid-cols-[7rem_1fr] gap-x-4 gap-y-3">
          <FactRow label="Status">
            <KeyStatus apiKey={accessKey} />
          </FactRow>
          <FactRow label="Value">
            <code>{accessKey.key}</code>
          </FactRow>
          <FactRow label="ID">
            <CopyField value={accessKey.id} label="Copy ID" />
          </FactRow>
          <FactRow label="Level">{accessKey.projectId ? 'This project' : 'Whole account'}</FactRow>
          <FactRow label="Last used">
            <DateTime at={accessKey.lastUsedAt} none="Never" />
          </FactRow>
          <FactRow label="Created">
            <DateTime at={accessKey.createdAt} form="exact" />
          </FactRow>
          <FieldFacts
            fields={ACCESS_KEY}
            record={accessKey}
            Row={FactRow}
            own={{
              ...SHOWN_ELSEWHERE,
              rateLimitConfigs: (
                <FactRow label="Management rate limit">
                  {accessKey.rateLimitConfigs
                    ? limitText(accessKey.rateLimitConfigs)
                    : 'Default of the server'}
                </FactRow>
              ),
            }}
          />
          {accessKey.rotatedFrom && (
            <FactRow label="Rotated from">
              <AccessKeyLink projectId={projectId} id={accessKey.rotatedFrom} />
            </FactRow>
          )}
          {accessKey.rotatedTo && (
            <FactRow label="Rotated to">
              <AccessKeyLink projectId={projectId} id={accessKey.rotatedTo} />
            </FactRow>
          )}
        </dl>
        <section aria-labelledby="scopes">
          <h3 id="scopes" className="mb-2 font-semibold">
            Scopes: {scopesText(accessKey.scopes)}
          </h3>
          <ScopeList scopes={accessKey.scopes} />
        </section>
        <Link
          to="/a/$accountId/audit-log"
          params={{ accountId: accessKey.accountId }}
          search={{ actor: accessKey.id }}
          className="w-fit text-accent underline underline-offset-2"
        >
          View changes made with it
        </Link>
      </div>
    </Sheet>
  );
}

function SheetActions({ accessKey, onAct }: Omit<AccessKeySheetProps, 'onClose'>) {
  return (
    <>
      <Button onClick={() => onAct('edit')}>Edit</Button>
      {accessKey.isActive ? (
        <>
          {accessKey.rotatedTo === null && <Button onClick={() => onAct('rotate')}>Rotate</Button>}
          <Button kind="danger" onClick={() => onAct('revoke')}>
            Revoke
          </Button>
        </>
      ) : (
        <Button onClick={() => onAct('reactivate')}>Reactivate…</Button>
      )}
    </>
  );
}

function ScopeList({ scopes }: { readonly scopes: readonly Scope[] }) {
  if (scopes.includes('*'))
    return (
      <Notice tone="warn">
        Full access, including scopes added in future versions. Use an access key with fewer scopes
        where possible.
      </Notice>
    );
  const shown = allScopes.filter((scope) => scopes.includes(scope));
  return (
    <ul className="flex flex-col gap-2.5">
      {shown.map((scope) => (
        <li key={scope} className="flex items-start gap-2.5">
          <Check aria-hidden className="mt-1 size-4 shrink-0 text-good" />
          <span>
            <code className="font-medium">{scope}</code>
            <span className="block text-muted text-sm">{SCOPES[scope].means}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
