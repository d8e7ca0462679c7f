import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { runCli } from '../run.ts';

async function script(shell: string): Promise<string> {
  let out = '';
  await runCli(['completion', shell], {
    env: {},
    columns: null,
    out: (text) => {
      out += text;
    },
    err: () => {},
    progress: () => {},
    style: (_, text) => text,
    readInput: async () => '',
  });
  return out;
}

it('completes words and options in bash', async () => {
  const complete = `complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _keyward; echo "\${COMPREPLY[*]}"; }`;
  const lines = [
    'keyward pro',
    "keyward keys ''",
    'keyward keys create --na',
    'keyward keys create --name Ada --ra',
    'keyward import customers --dr',
    "npx keyward webhooks ''",
  ].map((line) => `complete_line ${line}`);
  const { stdout, stderr } = spawnSync('bash', ['-s'], {
    input: [await script('bash'), complete, ...lines].join('\n'),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout.split('\n')).toEqual([
    'profiles projects',
    expect.stringMatching(/^create list .*validate/),
    '--name',
    '--rate-limit',
    '--dry-run',
    expect.stringContaining('listen'),
    '',
  ]);
});

it.each(['zsh', 'fish'])('the script for %s names every command', async (shell) => {
  const text = await script(shell);
  for (const words of ['keys', 'create', 'import', 'completion']) expect(text).toContain(words);
  expect(text).not.toContain('undefined');
});
