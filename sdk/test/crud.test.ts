import { expectTypeOf, it } from 'vitest';
import type {
  CallOptions,
  CreatePlan,
  Keyward,
  List,
  Plan,
  UpdateAccessKey,
} from '../src/index.ts';

it('the usual calls have the types of their operations', () => {
  expectTypeOf<Keyward['plans']['create']>().parameters.toEqualTypeOf<
    [body: CreatePlan, options?: CallOptions]
  >();
  expectTypeOf<Keyward['plans']['get']>().returns.resolves.toEqualTypeOf<Plan>();
  expectTypeOf<Keyward['plans']['list']>().returns.toEqualTypeOf<List<Plan>>();
  expectTypeOf<Keyward['plans']['delete']>().returns.resolves.toEqualTypeOf<true>();
  expectTypeOf<Keyward['accessKeys']['update']>().parameters.toEqualTypeOf<
    [id: string, body: UpdateAccessKey, options?: CallOptions]
  >();
  // It has another name, because it can be undone.
  expectTypeOf<Keyward['accessKeys']>().not.toHaveProperty('delete');
});
