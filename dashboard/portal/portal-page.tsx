import { useEffect } from 'react';
import { ApiKeys, Limits, Usage, usePortalSession } from '../../sdk/src/react/index.ts';
import { type Locale, messagesOf } from '../../sdk/src/react/text/locale.ts';
import { originOf, rememberOrigin } from './token.ts';

/** In a frame, the website around it has its own header. */
const isFramed = window.self !== window.top;

export function PortalPage({ locale }: { readonly locale: Locale }) {
  const { data } = usePortalSession();
  const { session } = messagesOf(locale);
  const { branding, customerName, customAccountId, returnUrl } = data!;
  const origin = originOf(returnUrl, branding.name);
  useEffect(() => {
    if (origin) rememberOrigin(origin);
  });
  return (
    <>
      {!isFramed && (
        <header className="brand">
          {branding.logo && <img src={branding.logo} alt="" />}
          <strong>{branding.name}</strong>
          {origin && (
            <a className="kw-button" href={origin.returnUrl}>
              {session.backTo(origin.name)}
            </a>
          )}
        </header>
      )}
      <main>
        <div className={isFramed ? 'kw-hidden' : 'heading'}>
          <h1>{session.pageTitle}</h1>
          <p>{customerName ?? customAccountId}</p>
        </div>
        <ApiKeys />
        <Limits />
        <Usage />
      </main>
    </>
  );
}
