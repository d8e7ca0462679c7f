// The fonts of the system: the default theme would add 400 KB.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
