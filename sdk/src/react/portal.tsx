import {
  type CSSProperties,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { PortalApiKey } from './client/records.ts';
import { ApiKeys } from './keys/api-keys.tsx';
import { NewValue } from './keys/new-value.tsx';
import { PortalContext, usePortal } from './state/context.ts';
import { usePortalSession } from './state/hooks.ts';
import { PortalData } from './state/portal-data.ts';
import { createFormat } from './text/format.ts';
import { type Locale, messagesOf, useBrowserLocale } from './text/locale.ts';
import { accentProperties } from './theme/accent.ts';
import { EmptyState, Failure } from './ui/notice.tsx';
import { Limits } from './usage/limits.tsx';
import { Usage } from './usage/usage.tsx';

export interface KeywardPortalProps {
  /** URL of Keyward, or the `url` of the portal session. */
  readonly url: string;
  /** The `token` of a portal session, which your server creates. */
  readonly token: string;
  /** Called once when the session has ended. Create a new one and pass its token. */
  onExpired?(): void;
  /** Default: the language of the browser, else English. */
  readonly locale?: Locale | undefined;
  /** Default: the color scheme of your page (the CSS property `color-scheme`). */
  readonly colorScheme?: 'light' | 'dark';
  /** URL of your API, for the example request beside a new key. */
  readonly apiUrl?: string;
  /** Shown while the session is valid. Default: keys, limits and usage. */
  readonly children?: ReactNode;
  /** Shown when the session has ended. Default: a short text. */
  readonly expired?: ReactNode;
}

/**
 * Lets a customer manage their API keys:
 *
 * ```tsx
 * import { KeywardPortal } from 'keyward/react';
 * import 'keyward/react.css';
 *
 * <KeywardPortal url={session.url} token={session.token} />
 * ```
 *
 * It loads everything in the browser. A server renders a short text in its place.
 */
export function KeywardPortal(props: KeywardPortalProps) {
  const { url, token, onExpired, locale, colorScheme, apiUrl, children, expired } = props;
  const data = useMemo(() => new PortalData(url, token), [url, token]);
  const isExpired = useSyncExternalStore(data.subscribe, data.isExpired, data.isExpired);
  const [newValue, setNewValue] = useState<{ title: string; apiKey: PortalApiKey } | null>(null);
  const browserLocale = useBrowserLocale();
  const language = locale ?? browserLocale;
  const context = useMemo(() => {
    const messages = messagesOf(language);
    const showValue = (title: string, apiKey: PortalApiKey) => setNewValue({ title, apiKey });
    return { data, messages, format: createFormat(language, messages), showValue };
  }, [data, language]);
  useExpiry(data, isExpired, onExpired);
  useRefresh(data);
  return (
    <PortalContext.Provider value={context}>
      <Root language={language} colorScheme={colorScheme}>
        {isExpired ? (expired ?? <SessionEnded />) : <Session>{children}</Session>}
        {/* Outside of the session's content: a value that is shown once must outlive the session. */}
        {newValue && (
          <NewValue
            {...newValue}
            apiUrl={apiUrl ?? 'https://api.example.com'}
            onClose={() => setNewValue(null)}
          />
        )}
      </Root>
    </PortalContext.Provider>
  );
}

interface RootProps {
  readonly language: Locale;
  readonly colorScheme: 'light' | 'dark' | undefined;
  readonly children: ReactNode;
}

function Root({ language, colorScheme, children }: RootProps) {
  const accentColor = usePortalSession().data?.branding.accentColor ?? null;
  const accent = useMemo(() => accentProperties(accentColor), [accentColor]);
  return (
    <div
      className="keyward"
      lang={language}
      data-color-scheme={colorScheme}
      style={accent as CSSProperties | undefined}
    >
      {children}
    </div>
  );
}

function Session({ children }: { readonly children: ReactNode }) {
  const { messages } = usePortal();
  const { data, error, reload } = usePortalSession();
  if (!data && error) return <Failure error={error} retry={reload} />;
  if (!data) return <p className="kw-muted">{messages.loading}</p>;
  return (
    children ?? (
      <>
        <ApiKeys />
        <Limits />
        <Usage />
      </>
    )
  );
}

function SessionEnded() {
  const { session } = usePortal().messages;
  return <EmptyState title={session.expiredTitle}>{session.expiredText}</EmptyState>;
}

/** Notices the end of the session, and reports it once. */
function useExpiry(data: PortalData, isExpired: boolean, onExpired: (() => void) | undefined) {
  const report = useRef(onExpired);
  useEffect(() => {
    report.current = onExpired;
  });
  useEffect(() => {
    if (isExpired) report.current?.();
  }, [isExpired]);
  const { data: session } = useSyncExternalStore(
    data.session.subscribe,
    data.session.get,
    data.session.get,
  );
  const expiresAt = session?.expiresAt;
  useEffect(() => {
    if (expiresAt === undefined) return;
    // The server decides: the clock of the browser may be wrong.
    const timer = setTimeout(data.session.reload, Date.parse(expiresAt) - Date.now() + 500);
    return () => clearTimeout(timer);
  }, [data, expiresAt]);
}

const REFRESH_MS = 60_000;

/** Keeps what is shown up to date while the page is visible. */
function useRefresh(data: PortalData) {
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === 'visible') data.refresh();
    };
    const timer = setInterval(refresh, REFRESH_MS);
    document.addEventListener('visibilitychange', refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
    };
  }, [data]);
}
