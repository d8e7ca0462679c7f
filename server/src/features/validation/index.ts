import type { Clock } from '../../kernel/clock.ts';
import type { Route } from '../../kernel/route.ts';
import { authenticate } from './routes/authenticate.ts';
import { validateInBody } from './routes/validate-in-body.ts';
import { validateInPath } from './routes/validate-in-path.ts';
import { verifyForGateway } from './routes/verify-for-gateway.ts';
import type { Validator } from './validator.ts';

export { verdictAnswer } from './answer.ts';
export { Validator, type Verdict } from './validator.ts';

export function validationRoutes(validator: Validator, clock: Clock): Route[] {
  const parts = { validator, clock };
  return [
    validateInPath(parts),
    validateInBody(parts),
    authenticate(parts),
    verifyForGateway(parts),
  ];
}
