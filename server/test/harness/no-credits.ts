import type { CreditLedger } from '../../src/features/credits/index.ts';

/** For validators of keys without credits. */
export const noCredits: Pick<CreditLedger, 'reserve' | 'putBack' | 'takeNotice'> = {
  reserve() {
    throw new Error('No key of this test has credits.');
  },
  takeNotice() {
    throw new Error('No key of this test has credits.');
  },
  putBack() {
    throw new Error('No key of this test has credits.');
  },
};
