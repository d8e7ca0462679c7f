import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import type { Fields } from '@keyward/rules/resources/field.ts';
import { expect, expectTypeOf, it } from 'vitest';
import type { ApiKey } from '../api-keys/index.ts';
import { columnsOf, differences, outputSchemas, unsetValues, without } from './index.ts';
import { createSchemas, updateSchemas } from './schemas.ts';

const LAMP = {
  name: { kind: 'name', label: 'Name', option: 'name', required: true, help: 'Its name.' },
  room: {
    kind: 'text',
    max: 40,
    label: 'Room',
    option: 'room',
    column: 'room_name',
    fixed: true,
    help: 'Where it hangs.',
  },
  offAt: {
    kind: 'expiry',
    label: 'Off',
    option: 'off',
    input: 'off',
    column: 'off_at',
    help: 'When it goes off.',
  },
  mode: {
    kind: 'choice',
    options: ['dim', 'bright'],
    standard: 'dim',
    label: 'Mode',
    option: 'mode',
    help: 'How bright it is.',
  },
  tags: { kind: 'tags', label: 'Tags', option: 'tag', help: 'Labels.' },
} as const satisfies Fields;

const lamp = columnsOf(LAMP);
const TIME = Date.UTC(2030, 0, 1);

it('gives records exact types', () => {
  expectTypeOf<ApiKey['startsAt']>().toEqualTypeOf<string | null>();
  expectTypeOf<ApiKey['name']>().toEqualTypeOf<string>();
  expectTypeOf<ApiKey['tags']>().toEqualTypeOf<string[]>();
  expectTypeOf<ApiKey['customMetaData']>().toEqualTypeOf<Record<string, unknown>>();
  expectTypeOf(lamp.read).returns.toEqualTypeOf<{
    name: string;
    room: string | null;
    offAt: string | null;
    mode: 'dim' | 'bright';
    tags: string[];
  }>();
  expectTypeOf(lamp.toInsert).returns.toEqualTypeOf<{
    name: string;
    room_name: string | null;
    off_at: number | null;
    mode: 'dim' | 'bright';
    tags: string | null;
  }>();
});

it('makes the schemas of requests and records', () => {
  expect(createSchemas(LAMP)).toMatchObject({
    name: { type: 'string', maxLength: 256 },
    room: { anyOf: [{ maxLength: 40, description: 'Where it hangs.' }, { type: 'null' }] },
    off: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    mode: { anyOf: [{ const: 'dim' }, { const: 'bright' }], description: 'How bright it is.' },
  });
  expect(Object.keys(updateSchemas(LAMP))).toEqual(['name', 'off', 'offAt', 'mode', 'tags']);
  expect(Object.keys(outputSchemas(LAMP))).toEqual(['name', 'room', 'offAt', 'mode', 'tags']);
});

it('writes a new record, with what is not set', () => {
  const row = lamp.toInsert({ name: 'Ada', off: '2030-01-01' }, { notBefore: 0 });
  expect(row).toEqual({ name: 'Ada', room_name: null, off_at: TIME, mode: 'dim', tags: null });
  expect(lamp.read({ ...row, tags: '["a"]' })).toEqual({
    name: 'Ada',
    room: null,
    offAt: '2030-01-01T00:00:00.000Z',
    mode: 'dim',
    tags: ['a'],
  });
  expect(() => lamp.toInsert({ name: 'Ada', off: '2030-01-01' }, { notBefore: TIME })).toThrow(
    'off must be in the future.',
  );
});

it('writes the fields that an update names', () => {
  expect(lamp.toUpdate({ off: null, tags: [], room: 'fixed' })).toEqual({
    off_at: null,
    tags: null,
  });
  expectTypeOf(lamp.toUpdate).returns.not.toHaveProperty('room_name');
});

it('compares columns with those of a row', () => {
  expect(differences({ a: 1, b: 'x' }, { a: 1, b: 'y' })).toEqual({ b: 'y' });
  expect(differences({ a: 1, b: 'x' }, { a: 1 })).toBeNull();
});

it('knows a record without settings', () => {
  expect(unsetValues(LAMP)).toEqual({ room: null, offAt: null, mode: 'dim', tags: [] });
  expect(unsetValues(API_KEY)).toMatchObject({ customMetaData: {}, credits: null, limits: [] });
  expect(Object.keys(without(LAMP, { name: 1, mode: 1 }))).toEqual(['room', 'offAt', 'tags']);
});

it('lets a field have a filter only if its kind can be filtered', () => {
  ({
    at: {
      kind: 'time',
      label: 'At',
      option: 'at',
      help: 'When.',
      // @ts-expect-error Times have no filter.
      filter: 'at',
    },
  }) as const satisfies Fields;
});
