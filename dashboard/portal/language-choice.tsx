import { LOCALES, type Locale, messagesOf } from '../../sdk/src/react/text/locale.ts';

interface LanguageChoiceProps {
  readonly locale: Locale;
  onChange(locale: Locale): void;
}

export const LanguageChoice = ({ locale, onChange }: LanguageChoiceProps) => (
  <footer className="languages">
    <label>
      {messagesOf(locale).session.language}
      <select value={locale} onChange={(event) => onChange(event.target.value as Locale)}>
        {LOCALES.map((each) => (
          <option key={each} value={each} lang={each}>
            {messagesOf(each).session.languageName}
          </option>
        ))}
      </select>
    </label>
  </footer>
);
