import { useEffect, useState } from 'react';
import { KeywardPortal } from '../../sdk/src/react/index.ts';
import { type Locale, messagesOf, preferredLocale } from '../../sdk/src/react/text/locale.ts';
import { EndedPage } from './ended-page.tsx';
import { LanguageChoice } from './language-choice.tsx';
import { PortalPage } from './portal-page.tsx';
import { takeToken } from './token.ts';

export function PortalApp({ initialToken }: { readonly initialToken: string | null }) {
  const [token, setToken] = useState(initialToken);
  const [locale, setLocale] = useState<Locale>(() => preferredLocale(navigator.languages));
  const { session } = messagesOf(locale);

  useEffect(() => {
    // A second link opened in the same tab changes only the fragment.
    const onHashChange = () => setToken((current) => takeToken() ?? current);
    addEventListener('hashchange', onHashChange);
    return () => removeEventListener('hashchange', onHashChange);
  }, []);
  useEffect(() => {
    document.documentElement.lang = locale;
    document.title = session.pageTitle;
  }, [locale, session]);

  return (
    <>
      {token === null ? (
        <div className="keyward">
          <EndedPage title={session.noTokenTitle} text={session.noTokenText} locale={locale} />
        </div>
      ) : (
        <KeywardPortal
          url={location.origin}
          token={token}
          locale={locale}
          expired={
            <EndedPage title={session.expiredTitle} text={session.expiredText} locale={locale} />
          }
        >
          <PortalPage locale={locale} />
        </KeywardPortal>
      )}
      <LanguageChoice locale={locale} onChange={setLocale} />
    </>
  );
}
