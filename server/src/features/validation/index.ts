import type { Route } from '../../kernel/route.ts';
import type { LeaseReturns } from './lease-returns.ts';
import { authenticate } from './routes/authenticate.ts';
import { returnLeases } from './routes/return-leases.ts';
import { validateInBody } from './routes/validate-in-body.ts';
import { validateByGet, validateInPath } from './routes/validate-in-path.ts';
import { verifyForGateway } from './routes/verify-for-gateway.ts';
import type { ValidationParts } from './validate-one.ts';

export { acceptanceAnswer, RefusalAnswers } from './answer.ts';
export { BATCH_MAX, validateBatch } from './batch.ts';
export { LeaseReturns } from './lease-returns.ts';
export type { PreparedKey } from './prepared-key.ts';
export { Validator, type Verdict } from './validator.ts';

export function validationRoutes(parts: ValidationParts, returns: LeaseReturns): Route[] {
  return [
    validateInPath(parts),
    validateByGet(parts),
    validateInBody(parts),
    authenticate(parts),
    verifyForGateway(parts),
    returnLeases(returns),
  ];
}
