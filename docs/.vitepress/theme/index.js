// The fonts of the system: the default theme would add 400 KB.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

/** Who searches wants to do something: decisions, and what is for contributors, come last. */
const LAST =
  /\/(?:decisions\/|ARCHITECTURE|CONTRIBUTING|CHANGELOG|CODE_OF_CONDUCT|dependencies|benchmarks|scale)/;

/** Every page of an error has the same sections: those who search for an error look for its name. */
const OF_AN_ERROR = /\/errors\/\w+#(?:why-it-happens|what-to-do|example-response)/;

const weightOf = (id) => {
  if (LAST.test(id)) return 1e-6;
  return OF_AN_ERROR.test(id) ? 0.1 : 1;
};

export default {
  ...theme,
  enhanceApp(context) {
    theme.enhanceApp?.(context);
    // Here and not in the configuration, which would need `eval` to pass a function to the browser.
    context.siteData.value.themeConfig.search.options = {
      miniSearch: { searchOptions: { boostDocument: weightOf } },
    };
  },
};
