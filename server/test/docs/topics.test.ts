import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOPICS } from '@keyward/rules/topics.ts';
import { expect, it } from 'vitest';
import { ROOT } from './blocks.ts';

it('the guide to webhooks says when each event is sent, and names no others', () => {
  const guide = readFileSync(join(ROOT, 'docs/guides/webhooks.md'), 'utf8');
  const [, table = ''] = guide.split('\n| Topic | When |\n|---|---|\n');
  const rows = table.split('\n\n')[0]!.split('\n');
  const named = rows.flatMap((row) => row.split('|')[1]!.match(/[\w-]+\.\w+/g) ?? []);
  expect(named.toSorted()).toEqual(TOPICS.toSorted());
});
