import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { knownAgents } from '../../src/model/index.ts';
import { newProject, type Project } from './command-line.ts';

interface Listed {
  readonly name: string;
  readonly installed: boolean;
  readonly [key: string]: unknown;
}

/** A folder for PATH, in which a program answers a question for its version as it is told to. */
function install(project: Project, name: string, script: string): string {
  const file = project.write(join('programs', name), `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return join(project.folder, 'programs');
}

async function agents(project: Project, path: string): Promise<Listed[]> {
  const { stdout, code } = await project.piton(['agents', '--json'], { env: { PATH: path } });
  expect(code).toBe(0);
  return JSON.parse(stdout) as Listed[];
}

test('where nothing is installed, agents has a line for each with what to do, and all about one that is named', async () => {
  const project = newProject();
  mkdirSync(join(project.folder, 'nothing'));
  const path = join(project.folder, 'nothing');
  const listed = await agents(project, path);
  expect(listed.map(({ name }) => name)).toEqual(knownAgents());
  expect(listed.filter(({ installed }) => installed).map(({ name }) => name)).toEqual(['scripted']);
  expect(listed.find(({ name }) => name === 'claude')).toEqual({
    name: 'claude',
    title: 'Claude Code',
    installed: false,
    missing: '`claude` is not in PATH',
    remedy: 'install Claude Code, then log in: claude auth login',
    hasProgram: true,
    tested: { from: expect.any(String), to: expect.any(String) },
    session: 'chosen',
    forks: true,
    pricing: 'usd',
    asks: true,
    opens: true,
    permissions: {
      read: expect.stringContaining('--tools Read'),
      edit: expect.stringContaining('acceptEdits'),
      full: expect.stringContaining('everything'),
    },
    login: 'claude auth login',
  });
  // There is nothing to install, and nowhere to log in.
  expect(listed.find(({ name }) => name === 'command')).toMatchObject({
    hasProgram: false,
    remedy: 'name a program where it is used: agent: command, args: [<program>, …]',
  });
  const { stdout } = await project.piton(['agents'], { env: { PATH: path } });
  const lines = stdout.split('\n');
  expect(lines.slice(0, knownAgents().length).map((line) => line.split(/ +/)[1])).toEqual(knownAgents());
  expect(stdout).toMatch(/^- claude +not installed +install Claude Code, then log in: claude auth login$/m);
  expect(stdout).toMatch(/^- acp +any program +name a program where it is used/m);
  expect(stdout).toMatch(/^✓ scripted +\d+\.\d+\.\d+ +needs no login$/m);
  expect(lines[knownAgents().length]).toMatch(/^Next: install one of them/);
  const { stdout: one } = await project.piton(['agents', 'claude'], { env: { PATH: path } });
  expect(one).toContain('- claude (Claude Code)  `claude` is not in PATH');
  expect(one).toMatch(/^    read .*\n    edit .*\n    full /m);
  const wrong = await project.piton(['agents', 'claud'], { env: { PATH: path } });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('piton agents claude') });
});

test('agents tells path and version of what is installed, and warns of a version that was not tested', async () => {
  const project = newProject();
  install(project, 'claude', 'echo "2.1.325 (Claude Code)"');
  const path = install(project, 'codex', 'echo "codex-cli 99.0.0"');
  const listed = await agents(project, path);
  expect(listed.find(({ name }) => name === 'claude')).toMatchObject({
    installed: true,
    path: join(path, 'claude'),
    version: '2.1.325',
    isTested: true,
  });
  expect(listed.find(({ name }) => name === 'codex')).toMatchObject({ version: '99.0.0', isTested: false });
  const home = join(project.folder, 'home');
  project.write('home/.codex/auth.json', '{}');
  const env = { PATH: path, HOME: home, ANTHROPIC_API_KEY: '' };
  const { stdout } = await project.piton(['agents'], { env });
  expect(stdout).toMatch(/^✓ claude +2\.1\.325 +(if it is )?not logged in: claude auth login$/m);
  expect(stdout).toMatch(/^! codex +99\.0\.0 +(logged in|if .*); this version is untested$/m);
  const { stdout: one } = await project.piton(['agents', 'codex'], { env });
  expect(one).toMatch(/! codex \(Codex\) {2}99\.0\.0, .*untested; tested with/);
});

test('doctor has a line for each agent that is installed, and none for others', async () => {
  const project = newProject();
  install(project, 'claude', 'echo "2.1.325 (Claude Code)"');
  const path = install(project, 'codex', 'echo "codex-cli 99.0.0"');
  const { stdout } = await project.piton(['doctor', '--json'], { env: { PATH: path } });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; level: string }[] };
  const lines = checks.filter(({ name }) => knownAgents().includes(name));
  expect(lines).toEqual([
    { name: 'claude', level: 'ok', text: `2.1.325, ${join(path, 'claude')}` },
    expect.objectContaining({ name: 'codex', level: 'warn', remedy: expect.stringContaining('tested with') }),
  ]);
});

test('who has an agent that does not work is not told to install it, but how to see why', async () => {
  const project = newProject();
  const path = install(project, 'codex', 'echo "no such thing" >&2; exit 1');
  project.write('.piton/workflows/w.yaml', 'name: w\ntasks:\n  look: { agent: codex, prompt: Look. }\n');
  const codex = (await agents(project, path)).find(({ name }) => name === 'codex');
  expect(codex).toMatchObject({ installed: false, missing: expect.stringContaining('no such thing') });
  for (const command of [['agents'], ['agents', 'codex'], ['doctor']]) {
    const { stdout } = await project.piton(command, { env: { PATH: path } });
    expect(stdout).toMatch(/ee what it says: \S+\/codex --version/);
    expect(stdout).not.toMatch(/nstall Codex/);
  }
});

test('doctor tells of a missing agent only where a workflow has no other to turn to', async () => {
  const project = newProject();
  const file = '.piton/workflows/review.yaml';
  const path = install(project, 'claude', 'echo "2.1.325 (Claude Code)"');
  const names = async (agent: string): Promise<string[]> => {
    project.write(file, `name: review\ntasks:\n  look: { agent: ${agent}, prompt: Look. }\n`);
    const { stdout } = await project.piton(['doctor', '--json'], { env: { PATH: path } });
    const { checks } = JSON.parse(stdout) as { checks: { name: string; level: string; text: string }[] };
    return checks.filter(({ text }) => text.includes('needed by review')).map(({ name }) => name);
  };
  expect(await names('[codex, claude]')).toEqual([]);
  expect(await names('codex')).toEqual(['codex']);
});

test('agents and doctor look for the program that the project names, and say that it does', async () => {
  const project = newProject();
  const path = install(project, 'my-claude', 'echo "2.1.325 (Claude Code)"');
  project.write(
    '.piton/config.yaml',
    `agents: { claude: { executable: ${path}/my-claude }, codex: { executable: no-codex } }\n`,
  );
  const listed = await agents(project, join(project.folder, 'nothing'));
  expect(listed.find(({ name }) => name === 'claude')).toMatchObject({
    installed: true,
    path: join(path, 'my-claude'),
    executable: join(path, 'my-claude'),
  });
  expect(listed.find(({ name }) => name === 'codex')).toMatchObject({ missing: '`no-codex` is not in PATH' });
  const { stdout } = await project.piton(['agents', 'claude'], { env: { PATH: '/nowhere' } });
  expect(stdout).toContain(`its program is set in .piton/config.yaml: ${path}/my-claude\n`);
  expect((await project.piton(['doctor'], { env: { PATH: path } })).stdout).toContain('✓ ok    claude');
});

test('agents tells of each whether it asks for what it may not do, or is denied it', async () => {
  const { piton } = newProject();
  for (const name of knownAgents()) {
    const { stdout } = await piton(['agents', name]);
    expect(stdout.match(/asks you for what it may not do|what it may not do is denied/g)).toHaveLength(1);
  }
});
