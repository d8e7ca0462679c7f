import { expect, it } from 'vitest';
import type { Principal } from '../../kernel/authority.ts';
import type { Route } from '../../kernel/route.ts';
import { payerOf, readerOf } from './payers.ts';

const accessKey = {
  ...{ kind: 'access-key', id: 'access_1', accountId: 'acc_1', projectIds: null },
} as unknown as Principal;
const customer = (customAccountId: string) =>
  ({
    ...{ kind: 'portal', id: 'session_1', accountId: 'acc_1', projectIds: ['prj_1'] },
    customAccountId,
  }) as unknown as Principal;
const route = (method: string, access: string) => ({ method, access }) as Route;
const read = route('GET', 'api-keys:read');
const change = route('POST', 'api-keys:write');
const verify = route('GET', 'keys:validate');

it('lists that nobody reads leave an account its changes and validations', () => {
  const payer = payerOf(accessKey, read).name;
  expect(payer).toBe('acc_1');
  expect(payerOf(accessKey, change).name).not.toBe(payer);
  expect(payerOf(accessKey, verify).name).not.toBe(payer);
});

it('customers have one bound each, one together, and none in common with their account', () => {
  const [one, other] = [payerOf(customer('one'), read), payerOf(customer('other'), read)];
  expect(new Set([one.name, other.name, payerOf(accessKey, read).name]).size).toBe(3);
  expect([one.group, other.group, payerOf(accessKey, read).group]).toEqual([
    ...['acc_1', 'acc_1', undefined],
  ]);
  expect(readerOf(customer('one'))).toBe(readerOf(customer('other')));
  expect(readerOf(customer('one'))).not.toBe(readerOf(accessKey));
});
