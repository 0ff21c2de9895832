import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mergeCall, unknownCall, type Call } from '../../src/agents/acp/calls.ts';
import { isAllowed, isTolerated, type Policy } from '../../src/agents/acp/policy.ts';
import { agentNamed, type Permissions } from '../../src/agents/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function call(told: JsonObject): Call {
  return mergeCall(unknownCall('call-1'), told);
}

function policy(permissions: Permissions, more: Partial<Policy> = {}): Policy {
  return { directory: '/project', permissions, allowedCommands: ['npm test'], allowed: [], ...more };
}

const edit = (path: string): Call => call({ kind: 'edit', title: 'Write', locations: [{ path }] });
const run = (command: string): Call => call({ kind: 'execute', title: 'Run', rawInput: { command } });

describe('a call that an agent asks for over ACP', () => {
  const calls: Readonly<Record<string, Call>> = {
    'to read a file': call({ kind: 'read', title: 'Read a.txt' }),
    'to search': call({ kind: 'search', title: 'grep' }),
    'to edit a file of its folder': edit('/project/src/a.txt'),
    'to edit a file named from there': edit('src/a.txt'),
    'to edit a file elsewhere': edit('/project/../etc/passwd'),
    'to edit a file of a neighbour': edit('/project-two/a.txt'),
    'to edit what it obeys itself': edit('/project/.Claude/settings.json'),
    'to edit what git obeys': edit('sub/.git/config'),
    'to move something to where OpenCode obeys it': call({
      kind: 'move',
      locations: [{ path: 'a' }, { path: 'opencode.json' }],
    }),
    'to edit a file that it does not name': call({ kind: 'edit', title: 'Write' }),
    'to move a file of its folder': call({ kind: 'move', locations: [{ path: 'a' }, { path: 'b' }] }),
    'to move a file away': call({ kind: 'move', locations: [{ path: 'a' }, { path: '/tmp/b' }] }),
    'to delete a file': call({ kind: 'delete', locations: [{ path: 'a' }] }),
    'to run its check': run('npm test'),
    'to run its check and more': run('npm test; curl example.org'),
    // The title may be what the model says of it.
    'to run something that is called as its check is': call({ kind: 'execute', title: 'npm test' }),
    'to fetch a page': call({ kind: 'fetch', title: 'example.org' }),
    'to run something that is called as a kind is': call({
      kind: 'execute',
      title: 'delete',
      rawInput: { command: 'curl example.org' },
    }),
    'to use another tool': call({ kind: 'other', name: 'deploy', title: 'Deploy' }),
    'to use a tool of no kind that is called as one': call({ name: 'read', title: 'read' }),
  };

  test.each([
    ['read', ['to read a file', 'to search']],
    [
      'edit',
      [
        'to read a file',
        'to search',
        'to edit a file of its folder',
        'to edit a file named from there',
        'to move a file of its folder',
        'to run its check',
      ],
    ],
    ['full', Object.keys(calls)],
    [
      ['delete', 'deploy', 'execute(npm test; curl example.org)'],
      ['to read a file', 'to search', 'to delete a file', 'to run its check and more', 'to use another tool'],
    ],
  ] as const)('is allowed under %s only where that says so', (permissions, allowed) => {
    const passed = Object.entries(calls).filter(([, one]) => isAllowed(one, policy(permissions)));
    expect(passed.map(([name]) => name)).toEqual(allowed);
  });

  test('to edit a file is not allowed where a link leads out of the folder', () => {
    const root = temporaryFolder();
    const directory = join(root, 'project');
    mkdirSync(directory);
    mkdirSync(join(root, 'elsewhere'));
    symlinkSync(join(root, 'elsewhere'), join(directory, 'link'));
    const isOwn = (path: string): boolean => isAllowed(edit(path), policy('edit', { directory }));
    expect(isOwn('link/new.txt')).toBe(false);
    expect(isOwn('new/new.txt')).toBe(true);
  });

  test('is another one, if it is no command and is described otherwise', () => {
    const issue = (description: string): Call =>
      call({ name: 'create_issue', title: 'Issue', rawInput: { title: 'a', description } });
    const allowed = [{ tool: 'other (create_issue)', input: { title: 'a', description: 'harmless' } }];
    expect(isAllowed(issue('harmless'), policy('read', { allowed }))).toBe(true);
    expect(isAllowed(issue('other'), policy('read', { allowed }))).toBe(false);
  });

  test('is allowed where a person has allowed the same, and no other', () => {
    const allowed = [{ tool: 'execute', input: { command: 'make', timeout: 5 } }];
    const asked = (rawInput: JsonObject): boolean =>
      isAllowed(call({ kind: 'execute', title: 'make', rawInput }), policy('read', { allowed }));
    expect(asked({ timeout: 5, command: 'make' })).toBe(true);
    expect(asked({ command: 'make', timeout: 5, description: 'anew' })).toBe(true);
    expect(asked({ command: 'make' })).toBe(false);
    expect(asked({ command: 'make install', timeout: 5 })).toBe(false);
  });
});

describe('a call that an agent has made without asking', () => {
  test.each(['ls -la', 'git status && git diff', 'cat a.txt | head -3 2>/dev/null', 'cd src; pwd'])(
    'is tolerated if it only reads: %s',
    (command) => expect(isTolerated(run(command), policy('read'))).toBe(true),
  );

  test.each([
    'touch a',
    'ls > a',
    'cat $(touch a)',
    'git push',
    'echo `id`',
    'ls & touch a',
    'git diff --output=a',
    'git diff --outp=a',
    'rg --pre ./a b',
  ])('is not, if it may do more: %s', (command) =>
    expect(isTolerated(run(command), policy('edit'))).toBe(false),
  );

  test('is none of our business where everything is allowed, or where it is of no kind that acts', () => {
    expect(isTolerated(run('touch a'), policy('full'))).toBe(true);
    expect(isTolerated(call({ kind: 'other', name: 'todo' }), policy('read'))).toBe(true);
    expect(isTolerated(edit('/project/a'), policy('edit'))).toBe(true);
    expect(isTolerated(edit('/project/a'), policy('read'))).toBe(false);
    expect(isTolerated(edit('/etc/passwd'), policy('edit'))).toBe(false);
  });
});

describe('the class of a tool over ACP', () => {
  const { toolClass } = agentNamed('acp');

  test('is that of its kind, and a command is its own text only', () => {
    expect(toolClass('read', {})).toBe('reading');
    expect(toolClass('edit', {})).toBe('editing');
    expect(toolClass('delete', {})).toBe('unknown');
    expect(toolClass('execute', { command: 'make' })).toEqual({ shell: 'make' });
    expect(toolClass('execute', { command: ['bash', '-lc', 'make'] })).toEqual({ shell: 'bash -lc make' });
    expect(toolClass('execute', { title: 'ls' })).toBe('unknown');
    expect(toolClass('other (read)', {})).toBe('unknown');
  });
});
