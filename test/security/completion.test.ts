import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newProject } from '../cli/command-line.ts';

/** Names of files that a cloned repository can have, each of which is a command to some shell that expands it. */
const hostile = [
  '$(touch pwned)',
  '`touch pwned`',
  ';touch pwned;',
  '<(touch pwned)',
  '=(touch pwned)',
  '(touch pwned)',
  "'$(touch pwned)'",
  '"$(touch pwned)"',
  '${(e):-$(touch pwned)}',
  'x[$(touch pwned)]',
  'two\n$(touch pwned)',
  '--help',
  'a b',
  '~root',
];

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).error === undefined;

describe('a repository whose workflows are named like commands', () => {
  test('has none of them offered', async () => {
    const { piton, write } = newProject();
    for (const name of [...hostile, 'ship-it_2.0']) write(`.piton/workflows/${name}.yaml`, 'name: x\n');
    expect(await piton(['__complete', 'workflow'])).toEqual({ code: 0, stdout: 'ship-it_2.0\n', stderr: '' });
  });
});

/** The scripts must be safe by themselves: here a Piton answers that leaves nothing out. */
describe('names that are commands, at the key for completion', () => {
  test.skipIf(!has('bash'))('execute nothing in bash', async () => {
    const { call, pwned } = await terminal('bash');
    const line = `source completion; COMP_WORDS=(piton run ''); COMP_CWORD=2; _piton; printf '<%s>' "\${COMPREPLY[@]}"`;
    // What no shell expands, but what would be an option, is for `__complete` to leave out.
    expect(call(['-c', line])).toBe('<two><--help><ship>');
    expect(pwned()).toBe(false);
  });

  test.skipIf(!has('zsh'))('execute nothing in zsh', async () => {
    const { call, pwned } = await terminal('zsh');
    // A terminal of its own, in which the key is pressed.
    const line = `zmodload zsh/zpty && zpty shell zsh -f -i
      zpty -w shell "PS1='READ''Y> '; autoload -U compinit && compinit -u -D; source ./completion"
      zpty -r -m shell before '*READY> *' && zpty -w -n shell $'piton run \\t'
      zpty -r -m shell seen '*ship*' && print -r -- "$seen"; zpty -d shell`;
    const offered = call(['-f', '-c', line]);
    expect(offered).toContain('ship');
    expect(offered).not.toContain('touch');
    expect(pwned()).toBe(false);
  });

  test.skipIf(!has('fish'))('execute nothing in fish', async () => {
    const { call, pwned } = await terminal('fish');
    const offered = call(['--no-config', '-c', `source completion; complete -C 'piton run '`]).split('\n');
    expect(offered).toContain('ship');
    expect(offered.filter((name) => /[^\w.-]/.test(name))).toEqual([]);
    expect(pwned()).toBe(false);
  });
});

/** A shell with the completion of a Piton that leaves no name out. */
async function terminal(shell: string) {
  const { folder, piton, write } = newProject();
  write('names', `${hostile.join('\n')}\nship\n`);
  chmodSync(write('bin/piton', '#!/bin/sh\nexec cat names\n'), 0o755);
  write('completion', (await piton(['completion', shell])).stdout);
  const env = { ...process.env, PATH: `${folder}/bin:${process.env['PATH']}`, HOME: folder, TERM: 'dumb' };
  return {
    call: (args: readonly string[]) => {
      const { stdout, stderr, error } = spawnSync(shell, args, { cwd: folder, env, encoding: 'utf8' });
      if (error !== undefined) throw error;
      return stdout + stderr;
    },
    pwned: () => existsSync(join(folder, 'pwned')),
  };
}
