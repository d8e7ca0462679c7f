/** Settings stored in this browser. Never secrets. */
type Setting = 'theme' | 'project' | 'singleKeys' | 'language' | 'chartPatterns' | 'timeZone';

export function readSetting(name: Setting): string | null {
  try {
    return localStorage.getItem(`keyward.${name}`);
  } catch {
    return null;
  }
}

export function writeSetting(name: Setting, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`keyward.${name}`);
    else localStorage.setItem(`keyward.${name}`, value);
  } catch {
    // Storage may be blocked. The setting is then not kept.
  }
}
