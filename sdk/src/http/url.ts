type Values = Readonly<Record<string, unknown>>;

/** Fills in the parameters of a template such as `/api-keys/{key}`. */
export function pathOf(template: string, values: Values = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    // An empty parameter would call another route: GET /api-keys/ is the list.
    if (typeof value !== 'string' || value === '') {
      throw new TypeError(`Keyward: \`${name}\` must be a non-empty string`);
    }
    return encodeURIComponent(value);
  });
}

/** Undefined values are left out; null is sent as `null`, which filters read as "unset". */
export function queryOf(values: Values = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) query.append(name, String(item));
  }
  return query.size === 0 ? '' : `?${query}`;
}
