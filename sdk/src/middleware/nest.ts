import { type CanActivate, type ExecutionContext, HttpException } from '@nestjs/common';
import { type Admitted, createGuard, type KeyValidator, type ProtectOptions } from './guard.ts';
import { mountedReader } from './request-readers.ts';

/** The parts of requests and responses that Nest's platforms have in common. */
interface PlatformRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly originalUrl?: string;
  keyward?: Admitted;
}
interface PlatformResponse {
  header(name: string, value: string): unknown;
}

/**
 * A guard for `@UseGuards`, `app.useGlobalGuards` or `APP_GUARD`. A rejected request becomes an
 * `HttpException`, so that your exception filters see it.
 *
 * ```ts
 * @UseGuards(protect(keyward))
 * @Get('me') me(@Req() request: Protected<Request>) { return { name: request.keyward.record?.name }; }
 * ```
 */
export function protect(keyward: KeyValidator, options?: ProtectOptions): CanActivate {
  const guard = createGuard(keyward, mountedReader, options);
  return {
    async canActivate(context: ExecutionContext): Promise<boolean> {
      const request = context.switchToHttp().getRequest<PlatformRequest>();
      const response = context.switchToHttp().getResponse<PlatformResponse>();
      const decision = await guard(request);
      const headers = decision.passed ? decision.headers : decision.answer.headers;
      for (const [name, value] of Object.entries(headers)) response.header(name, value);
      if (!decision.passed) {
        const { body, status } = decision.answer;
        throw new HttpException(body as Record<string, unknown>, status);
      }
      request.keyward = decision.keyward;
      return true;
    },
  };
}

export type { Admitted, Protected, ProtectOptions } from './guard.ts';
