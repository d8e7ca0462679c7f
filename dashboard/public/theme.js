// Before the first paint, so that a chosen theme does not flash in late.
try {
  const theme = localStorage.getItem('keyward.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden: the system's theme it is.
}
