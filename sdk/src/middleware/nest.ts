import { type CanActivate, type ExecutionContext, HttpException } from '@nestjs/common';
import { type Admitted, createGuard, type GuardOptions, type KeyValidator } from './guard.ts';
import { nestReader } from './request-readers.ts';

/** The parts of requests and responses that Nest's platforms have in common. */
interface PlatformRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly originalUrl?: string;
  readonly socket?: { readonly remoteAddress?: string | undefined };
  keyward?: Admitted;
}
interface PlatformResponse {
  header(name: string, value: string): unknown;
}

/** `Request` is the request of your platform, for functions in the options. */
export type ProtectOptions<Request = PlatformRequest> = GuardOptions<Request>;

/**
 * A guard for `@UseGuards`, `app.useGlobalGuards` or `APP_GUARD`. A rejected request becomes an
 * `HttpException`, so that your exception filters see it.
 *
 * ```ts
 * @UseGuards(protect(keyward))
 * @Get('me') me(@Req() request: Protected<Request>) { return { name: request.keyward.record?.name }; }
 * ```
 */
export function protect<Request = PlatformRequest>(
  keyward: KeyValidator,
  options?: ProtectOptions<Request>,
): CanActivate {
  const guard = createGuard(keyward, nestReader, options as ProtectOptions | undefined);
  return {
    async canActivate(context: ExecutionContext): Promise<boolean> {
      const request = context.switchToHttp().getRequest<PlatformRequest>();
      const response = context.switchToHttp().getResponse<PlatformResponse>();
      const decision = await guard(request);
      const headers = decision.passed ? decision.headers : decision.response.headers;
      for (const [name, value] of Object.entries(headers)) response.header(name, value);
      if (!decision.passed) {
        const { body, status } = decision.response;
        throw new HttpException(body as Record<string, unknown>, status);
      }
      request.keyward = decision.keyward;
      return true;
    },
  };
}

export type { Admitted, Protected } from './guard.ts';
