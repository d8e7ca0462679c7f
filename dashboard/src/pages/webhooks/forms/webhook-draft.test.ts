import { describe, expect, it } from 'vitest';
import { emptyDraft, errorsIn, targetOf } from './webhook-draft.ts';

const draftWith = (...rows: readonly (readonly [name: string, value: string])[]) => ({
  ...emptyDraft,
  headers: rows.map(([name, value], row) => ({ row, name, value })),
});

describe('headers of a webhook', () => {
  it('may have empty rows, which are not sent', () => {
    const draft = draftWith(['', ''], [' x-tenant ', 'acme']);
    expect(errorsIn(draft).headers).toBeUndefined();
    expect(targetOf(draft).customHeaders).toEqual({ 'x-tenant': 'acme' });
  });

  it('need a name for each value', () => {
    expect(errorsIn(draftWith([' ', 'acme'])).headers).toBe('Enter a name for each header.');
  });

  it('have different names', () => {
    const draft = draftWith(['x-tenant', 'acme'], ['X-Tenant', 'globex']);
    expect(errorsIn(draft).headers).toBe('Enter x-tenant only once.');
  });
});
