import { type Locale, messagesOf } from '../../sdk/src/react/text/locale.ts';
import { rememberedOrigin } from './token.ts';

interface EndedPageProps {
  readonly title: string;
  readonly text: string;
  readonly locale: Locale;
}

/** There is no valid session. Leads back to the website that opened the page, if it is known. */
export function EndedPage({ title, text, locale }: EndedPageProps) {
  const origin = rememberedOrigin();
  return (
    <main className="ended">
      <h1>{title}</h1>
      <p>{text}</p>
      {origin && (
        <a className="kw-button kw-button-primary" href={origin.returnUrl} target="_top">
          {messagesOf(locale).session.backTo(origin.name)}
        </a>
      )}
    </main>
  );
}
