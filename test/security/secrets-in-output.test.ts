import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stateFolder } from '../../src/base/index.ts';
import { newProject, type Answer, type Project } from '../cli/command-line.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const token = 'hunter2-hunter2';
const key = 'first "line" of it\nsecond line of it';

/** A project whose tasks print secrets of each other and of the project, from where an agent might have found them. */
async function afterRun(): Promise<{ project: Project; logs(env?: object): Promise<Answer> }> {
  const project = newProject();
  project.write('.piton/config.yaml', 'secrets: [OF_PROJECT]\n');
  project.write('found', `${token} and of-the-project\n${key}\n`);
  project.write(
    '.piton/workflows/flow.yaml',
    'name: flow\ntasks:\n  has: { run: "true", secrets: [TOKEN, KEY] }\n  other: { run: "cat $PWD/found" }\n',
  );
  const env = { TOKEN: token, KEY: key, OF_PROJECT: 'of-the-project' };
  const { code, stderr } = await project.piton(['run', 'flow', '--id', 'r'], { env });
  expect(stderr).not.toContain('rror');
  expect(code).toBe(0);
  return { project, logs: (more = {}) => project.piton(['logs', 'r', 'other'], { env: { ...more } }) };
}

function everything({ stdout, stderr }: Answer): string {
  return stdout + stderr;
}

function leaks(text: string): string[] {
  return [token, 'of-the-project', 'first "line"', 'second line'].filter((secret) => text.includes(secret));
}

describe('what a task has printed of the secrets of another is hidden', () => {
  test('in a later shell that does not have them', async () => {
    const { logs } = await afterRun();
    const shown = everything(await logs());
    expect(shown).toContain('*** and ***');
    expect(leaks(shown)).toEqual([]);
  });

  test('when they were changed meanwhile', async () => {
    const { logs } = await afterRun();
    const shown = everything(await logs({ TOKEN: 'another-one', KEY: 'x', OF_PROJECT: 'and-another' }));
    expect(shown).toContain('*** and ***');
    expect(leaks(shown)).toEqual([]);
  });

  test('and nothing is shown without the key by which they are known, but where it lies', async () => {
    const { project, logs } = await afterRun();
    // A process of its own: this one has read the key.
    const env = { XDG_STATE_HOME: temporaryFolder() };
    const shown = everything(await project.binary(['logs', 'r', 'other'], { env }));
    expect(leaks(shown)).toEqual([]);
    expect(shown).toMatch(/not shown.*the key.*less .*\/stdout/s);
    expect(everything(await logs())).toContain('*** and ***');
  });

  test('and nothing is shown of an attempt that an older version has made, or whose marks were changed', async () => {
    const { logs, project } = await afterRun();
    for (const change of [{ fingerprints: undefined }, { fingerprints: 'AAAA'.repeat(20) }]) {
      for (const attempt of attemptsOf(project)) {
        const file = join(attempt, 'attempt.json');
        writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...change }));
      }
      const shown = everything(await logs());
      expect(leaks(shown)).toEqual([]);
      expect(shown).toContain('not shown');
    }
  });

  test('where the raw output is, nobody else can look, and no value can be read from the marks', async () => {
    const { project } = await afterRun();
    for (const attempt of attemptsOf(project)) {
      expect(statSync(attempt).mode & 0o777).toBe(0o700);
      for (const file of ['stdout', 'stderr', 'attempt.json'])
        expect(statSync(join(attempt, file)).mode & 0o777).toBe(0o600);
      expect(leaks(readFileSync(join(attempt, 'attempt.json'), 'utf8'))).toEqual([]);
    }
    const keys = stateFolder('keys');
    expect(statSync(keys).mode & 0o777).toBe(0o700);
    expect(statSync(join(keys, 'redaction')).mode & 0o777).toBe(0o600);
  });
});

function attemptsOf({ folder }: Project): string[] {
  const spool = join(folder, '.piton', 'spool');
  return readdirSync(spool)
    .filter((name) => !name.startsWith('.'))
    .map((name) => join(spool, name));
}
