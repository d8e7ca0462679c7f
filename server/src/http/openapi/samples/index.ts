import type { Route } from '../../../kernel/route.ts';
import type { Json } from '../components.ts';
import { curl } from './curl.ts';
import { go } from './go.ts';
import { python } from './python.ts';
import { typescript } from './typescript.ts';

const LANGUAGES = [
  { lang: 'curl', label: 'curl', write: curl },
  { lang: 'typescript', label: 'TypeScript', write: typescript },
  { lang: 'python', label: 'Python', write: python },
  { lang: 'go', label: 'Go', write: go },
] as const;

/** The example of a route as a program in each language. */
export const codeSamples = (route: Route): Json[] =>
  LANGUAGES.map(({ lang, label, write }) => ({ lang, label, source: write(route) }));
