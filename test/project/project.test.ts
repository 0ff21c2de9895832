/** What an interface of one's own can do with a project: only by what `piton` exports. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findProject, PitonError, type Piton, type Project, type ProjectOptions } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const release = `
name: release
inputs: { version: string }
tasks:
  build: { run: 'echo built \${{ inputs.version }}' }
  test: { needs: build, run: echo tested }
  publish: { needs: [build, test], run: git push --force }
`;

/** A project as somebody finds it who has trusted nothing yet. */
class Place {
  readonly folder = temporaryFolder();
  readonly #state = temporaryFolder();

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), text);
  }

  find(options: ProjectOptions = {}): Promise<Project> {
    const environment = { PATH: process.env['PATH'], HOME: this.folder, XDG_STATE_HOME: this.#state };
    return findProject({ directory: this.folder, environment, ...options });
  }
}

const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof PitonError ? thrown.code : undefined;

async function opened(project: Project): Promise<Piton> {
  const piton = await project.open();
  onTestFinished(() => piton.close());
  return piton;
}

describe('the workflows of a project', () => {
  test('are told by name, with what is wrong with them, what follows what and what a run would do', async () => {
    const place = new Place();
    place.write('.piton/workflows/release.yaml', release);
    place.write('.piton/workflows/bad.yaml', 'name: bad\ntasks: { a: { needs: b, run: ls } }\n');
    const project = await place.find();
    expect(project.workflows().map(({ name }) => name)).toEqual(['bad', 'release']);
    expect(await project.check('bad')).toMatchObject({
      ok: false,
      problems: [{ line: 2, path: 'tasks.a.needs[0]' }],
    });
    expect(await project.check('release')).toMatchObject({
      ok: true,
      tasks: 3,
      irreversible: [{ task: 'publish' }],
    });
    expect((await project.graph('release')).edges).toEqual([
      { from: 'build', to: 'test' },
      { from: 'build', to: 'publish' },
      { from: 'test', to: 'publish' },
    ]);
    const definition = await project.load('release', { skip: ['publish'] });
    const plan = await project.plan(definition, { version: '1.0' });
    expect(plan.levels.map((level) => level.map(({ task }) => task))).toEqual([['build'], ['test']]);
    expect(plan.inputs).toEqual({ version: '1.0' });
    await expect(project.plan(definition, {})).rejects.toSatisfy(
      (thrown) => codeOf(thrown) === 'INPUT_INVALID',
    );
    await expect(project.load('relaese')).rejects.toThrow('Did you mean release?');
  });

  test('that are programs are loaded as they are now, however long the one who looks has lived', async () => {
    const place = new Place();
    const project = await place.find({ confirmTrust: async () => true });
    const index = join(import.meta.dirname, '../../src/index.ts');
    for (const name of ['one', 'another']) {
      const program = `import { workflow } from '${index}';\nexport default workflow('${name}').task('a', () => 1);\n`;
      place.write('.piton/workflows/w.mjs', program);
      expect((await project.load('w')).workflow.name).toBe(name);
      expect((await project.graph('w')).workflow).toBe(name);
    }
  });

  test('are found from a folder within it, and run by its store', async () => {
    const place = new Place();
    place.write('.piton/workflows/release.yaml', release);
    mkdirSync(join(place.folder, 'src'));
    const project = await place.find({
      directory: join(place.folder, 'src'),
      confirmTrust: async () => true,
    });
    expect(project.config.root).toBe(place.folder);
    expect(project.hasStore()).toBe(false);
    await expect(project.openExisting()).rejects.toSatisfy((thrown) => codeOf(thrown) === 'NO_PROJECT');
    const piton = await opened(project);
    const run = await piton.start(await project.load('release', { until: ['test'] }), {
      inputs: { version: '2' },
    } as never);
    expect(await run.result()).toMatchObject({ status: 'succeeded' });
    expect(project.hasStore()).toBe(true);
    expect((await project.definitionOf(run.id, piton)).definition.workflow.name).toBe('release');
  });
});

test('a project that is logged does not show the environment', async () => {
  const project = await new Place().find({ environment: { TOKEN: 'secret-of-mine' } });
  expect(project.env['TOKEN']).toBe('secret-of-mine');
  expect(inspect(project, { depth: 5 }) + JSON.stringify(project)).not.toContain('secret-of-mine');
});

describe('a project that nobody has trusted', () => {
  const program = "import { writeFileSync } from 'node:fs'; writeFileSync('pwned', ''); export default {};\n";

  function hostile(): Place {
    const place = new Place();
    place.write('.piton/workflows/evil.mjs', program);
    return place;
  }

  test('has nothing of it executed by whoever looks at it', async () => {
    const place = hostile();
    place.write(
      '.piton/config.yaml',
      'agents: { claude: { executable: ./evil } }\nstore: sqlite:../other.db\n',
    );
    const project = await place.find();
    const isRefused = (thrown: unknown): boolean => codeOf(thrown) === 'TRUST_NEEDED';
    await expect(project.load('evil')).rejects.toSatisfy(isRefused);
    await expect(project.graph('evil')).rejects.toSatisfy(isRefused);
    await expect(project.startDetached('evil')).rejects.toSatisfy(isRefused);
    await expect(project.resumeDetached('r')).rejects.toSatisfy(isRefused);
    await expect(project.open()).rejects.toSatisfy(isRefused);
    expect(await project.check('evil')).toMatchObject({ ok: false });
    const agents = await project.agents();
    expect(agents.find(({ name }) => name === 'claude')).not.toHaveProperty('executable');
    expect(await project.doctor()).toContainEqual(expect.objectContaining({ name: 'trust', level: 'warn' }));
    expect(existsSync('pwned') || existsSync(join(place.folder, 'pwned'))).toBe(false);
  });

  test('has no run of it begun or gone on with in this process, however it was loaded', async () => {
    const place = new Place();
    place.write('.piton/workflows/evil.yaml', 'name: evil\ntasks: { a: { run: touch pwned } }\n');
    const trusting = await place.find({ confirmTrust: async () => true });
    const known = await opened(trusting);
    const origin = { directory: place.folder };
    expect(
      await (await known.start(await trusting.load('evil'), { id: 'r', origin })).result(),
    ).toMatchObject({
      status: 'succeeded',
    });
    expect(await trusting.revokeTrust(place.folder)).toBe(true);
    rmSync(join(place.folder, 'pwned'));
    const project = await place.find();
    const piton = await opened(project);
    const isRefused = (thrown: unknown): boolean => codeOf(thrown) === 'TRUST_NEEDED';
    const definition = await project.load('evil');
    await expect(piton.start(definition, { origin })).rejects.toSatisfy(isRefused);
    await expect(piton.resume(definition, 'r', { redo: ['a'] })).rejects.toSatisfy(isRefused);
    await expect(piton.merge('r')).rejects.toSatisfy(isRefused);
    await expect((await piton.find('r')).lend('a')).rejects.toSatisfy(isRefused);
    expect((await piton.runs()).map(({ run, status }) => [run, status])).toEqual([['r', 'succeeded']]);
    expect(existsSync(join(place.folder, 'pwned'))).toBe(false);
  });

  test('has nothing written where it leads to', async () => {
    const place = new Place();
    const elsewhere = temporaryFolder();
    symlinkSync(elsewhere, join(place.folder, '.piton'));
    await expect((await place.find()).open()).rejects.toSatisfy(
      (thrown) => codeOf(thrown) === 'TRUST_NEEDED',
    );
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('is asked about once, with all that would be trusted, and remembered', async () => {
    const place = hostile();
    place.write('.piton/config.yaml', 'lease: 20s\n');
    const asked: string[][] = [];
    const refusing = await place.find({
      confirmTrust: async ({ changes }) => (asked.push(changes.map(({ file }) => file)), false),
    });
    for (const _ of [1, 2]) await expect(refusing.requireTrust()).rejects.toThrow('nobody has said yet');
    expect(asked).toEqual([['.piton/config.yaml']]);
    await (await place.find({ confirmTrust: async () => true })).requireTrust();
    const trusted = await place.find();
    await trusted.requireTrust();
    expect((await trusted.trustedProjects()).map(({ root }) => root)).toEqual([place.folder]);
    place.write('.piton/config.yaml', 'lease: 21s\n');
    await expect((await place.find()).requireTrust()).rejects.toThrow('has changed since you trusted');
    expect(await trusted.revokeTrust(place.folder)).toBe(true);
    expect(await trusted.trustedProjects()).toEqual([]);
    await expect(trusted.requireTrust()).rejects.toThrow('nobody has said yet');
    await trusted.trust(await trusted.trustStanding());
    await trusted.requireTrust();
    // Also for whoever was refused before: a person has seen to it.
    place.write('.piton/config.yaml', 'lease: 20s\n');
    await trusted.trust(await (await place.find()).trustStanding());
    await refusing.requireTrust();
    expect(asked).toHaveLength(1);
  });
});

test('a store that was made to look at a project is not one that came with it', async () => {
  const place = new Place();
  place.write('.piton/workflows/w.yaml', 'name: w\ntasks: { a: { run: ls } }\n');
  const asked: boolean[] = [];
  const project = await place.find({
    confirmTrust: async ({ hasForeignStore }) => (asked.push(hasForeignStore), true),
  });
  const piton = await opened(project);
  const run = await piton.start(await project.load('w'), { origin: { directory: place.folder } });
  expect((await run.result()).status).toBe('succeeded');
  expect(asked).toEqual([false]);
  await (await place.find()).requireTrust();
});

test('what is put in the place of a store while somebody is asked is not trusted with it', async () => {
  const place = new Place();
  place.write('.piton/config.yaml', 'lease: 20s\n');
  const asked = await place.find({
    confirmTrust: async ({ hasForeignStore }) => {
      place.write('.piton/piton.db', 'a store with runs that nobody has seen');
      return !hasForeignStore;
    },
  });
  await asked.requireTrust();
  await expect((await place.find()).requireTrust()).rejects.toThrow('runs that were not begun here');
});

test('inside of an attempt nobody trusts a project, whatever the interface says', async () => {
  const place = new Place();
  place.write('.piton/config.yaml', 'lease: 20s\n');
  const environment = { HOME: place.folder, XDG_STATE_HOME: place.folder, PITON_MARK_a1: '1' };
  const project = await place.find({ environment, confirmTrust: async () => true });
  await expect(project.requireTrust()).rejects.toThrow('nobody has said yet');
  const standing = await project.trustStanding();
  await expect(project.trust(standing)).rejects.toSatisfy((thrown) => codeOf(thrown) === 'INSIDE_ATTEMPT');
  expect(await project.trustedProjects()).toEqual([]);
});

test('a yes is about what was shown, and not about what has come in its place since', async () => {
  const place = new Place();
  place.write('.piton/config.yaml', 'lease: 20s\n');
  const shown: string[][] = [];
  const project = await place.find({
    confirmTrust: async ({ changes }) => {
      shown.push(changes.map(({ file }) => file));
      return true;
    },
  });
  await project.requireTrust();
  expect(await project.revokeTrust(place.folder)).toBe(true);
  place.write('.mcp.json', '{}');
  await project.requireTrust();
  expect(shown).toEqual([['.piton/config.yaml'], ['.piton/config.yaml', '.mcp.json']]);
});

describe('a run in the background', () => {
  test('goes on without the one who started it, is gone on with after a kill, and is started once', async () => {
    const place = new Place();
    place.write(
      '.piton/workflows/slow.yaml',
      `
name: slow
inputs: { word: string }
tasks:
  first: { run: 'echo "$WORD" >> ledger', env: { WORD: '\${{ inputs.word }}' } }
  wait: { needs: first, run: 'until [ -e go ]; do sleep 0.05; done', on-interrupt: restart }
`,
    );
    const project = await place.find({ confirmTrust: async () => true });
    const word = 'a "word" --with $signs';
    const driver = await project.startDetached('slow', { id: 'bg', inputs: { word } });
    expect(driver).toMatchObject({ run: 'bg', log: expect.stringContaining('bg.log') });
    expect(driver.ended).toBeUndefined();
    const piton = await opened(project);
    expect(await piton.driver('bg')).toMatchObject({ pid: driver.pid, alive: true });
    const run = await piton.find('bg');
    await expect.poll(async () => (await run.view()).tasks['wait']?.status).toBe('running');
    process.kill(driver.pid, 'SIGKILL');
    await expect.poll(async () => run.status()).toBe('interrupted');
    const next = await project.resumeDetached('bg');
    expect(next.pid).not.toBe(driver.pid);
    place.write('go', '');
    await expect.poll(async () => run.status()).toBe('succeeded');
    expect((await run.view()).inputs).toEqual({ word });
  });

  test('that is refused says why', async () => {
    const place = new Place();
    place.write(
      '.piton/workflows/slow.yaml',
      'name: slow\ninputs: { n: integer }\ntasks: { a: { run: ls } }\n',
    );
    const project = await place.find({ confirmTrust: async () => true });
    await expect(project.startDetached('slow', { inputs: { n: 'x' } })).rejects.toThrow('n');
    await expect(project.startDetached('slow', { id: '../x', inputs: { n: 1 } })).rejects.toSatisfy(
      (thrown) => codeOf(thrown) === 'RUN_ID_INVALID',
    );
    await expect(project.startDetached('slow', { inputs: { n: Number.NaN } })).rejects.toSatisfy(
      (thrown) => codeOf(thrown) === 'NOT_SERIALISABLE',
    );
    place.write('.piton/workflows/lacking.yaml', 'name: lacking\ntasks: { a: { run: no-such-program } }\n');
    await expect(project.startDetached('lacking')).rejects.toSatisfy(
      (thrown) => codeOf(thrown) === 'PREFLIGHT_FAILED',
    );
    expect(await project.preflight(await project.load('lacking'))).toMatchObject({
      ok: false,
      findings: [{ level: 'error', kind: 'program', task: 'a', path: 'tasks.a.run' }],
    });
    expect((await project.startDetached('lacking', { id: 'forced', force: true })).run).toBe('forced');
    // What an interface selects may be nothing.
    const everything = { only: [], until: [], skip: [] };
    expect((await project.startDetached('slow', { id: 'n1', inputs: { n: 1 }, ...everything })).run).toBe(
      'n1',
    );
    // The command line would take the beginning of an id for the run.
    await expect(project.resumeDetached('n')).rejects.toSatisfy(
      (thrown) => codeOf(thrown) === 'RUN_NOT_FOUND',
    );
    const piton = await opened(project);
    await (await piton.find('n1')).result();
    await expect.poll(async () => piton.driver('n1')).toBe(undefined);
    place.write('.piton/workflows/slow.yaml', 'name: other\ntasks: { a: { run: ls } }\n');
    await expect(project.startDetached('slow', { id: 'n1' })).rejects.toSatisfy(
      (thrown) => codeOf(thrown) === 'RUN_CHANGED',
    );
    // It has ended: there is nothing to be done.
    const { ended } = await project.resumeDetached('n1');
    expect(ended).toMatchObject({ exitCode: 0, said: expect.stringContaining('n1') });
  });

  test('is looked for where there are runs, and nothing is made where there are none', async () => {
    const place = new Place();
    const project = await place.find();
    await expect(project.resumeDetached('r')).rejects.toSatisfy((thrown) => codeOf(thrown) === 'NO_PROJECT');
    expect(readdirSync(place.folder)).toEqual([]);
  });

  test('is started once, however often that is asked for, and nobody waits for its end', async () => {
    const place = new Place();
    place.write(
      '.piton/workflows/slow.yaml',
      'name: slow\ntasks:\n  a: { run: "echo once >> ledger; until [ -e go ]; do sleep 0.05; done" }\n',
    );
    const project = await place.find({ confirmTrust: async () => true });
    const drivers = await Promise.all([1, 2].map(() => project.startDetached('slow', { id: 'bg' })));
    drivers.push(await project.startDetached('slow', { id: 'bg' }));
    const piton = await opened(project);
    const { pid } = (await piton.driver('bg'))!;
    expect(drivers.map((driver) => [driver.pid, driver.ended])).toEqual(drivers.map(() => [pid, undefined]));
    place.write('go', '');
    expect(await (await piton.find('bg')).result()).toMatchObject({ status: 'succeeded' });
    expect(readFileSync(join(place.folder, 'ledger'), 'utf8')).toBe('once\n');
  });

  test.each([
    ['a link', (file: string) => symlinkSync('../../mine', file)],
    ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
    ['a folder', (file: string) => mkdirSync(file)],
  ])('writes to no file of others: where %s lies in place of its log, it is refused', async (_, lay) => {
    const place = new Place();
    place.write('.piton/workflows/w.yaml', 'name: w\ntasks: { a: { run: ls } }\n');
    place.write('mine', 'mine');
    mkdirSync(join(place.folder, '.piton/logs'));
    lay(join(place.folder, '.piton/logs/bg.log'));
    const project = await place.find({ confirmTrust: async () => true });
    await expect(project.startDetached('w', { id: 'bg' })).rejects.toSatisfy(
      (thrown) => codeOf(thrown) === 'FOLDER_UNSAFE',
    );
    expect(readFileSync(join(place.folder, 'mine'), 'utf8')).toBe('mine');
  });
});
