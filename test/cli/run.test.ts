import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newProject } from './command-line.ts';
import { begun, ledgerOf, parseLines, release, startPiton, writeTraced } from './live-command.ts';

const library = fileURLToPath(new URL('../../src/index.ts', import.meta.url));

test('a run that succeeds ends with 0, its counts, and what to do next', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, b: { needs: ['a'] } });
  const { code, stdout, stderr } = await project.piton(['run', 'flow', '--id', 'first']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Run first of flow: 2 tasks/);
  expect(stdout).toMatch(
    /Run first of flow succeeded \(.*\)\n {2}2 tasks: 2 succeeded\nNext: piton show first\n$/,
  );
  expect(ledgerOf(project)).toEqual(['a', 'b']);
});

test('a run that fails ends with 1, tells why, and names the commands to look and to try again', async () => {
  const project = newProject();
  writeTraced(project, { a: { run: 'echo broken >&2; exit 7' }, b: { needs: ['a'] } });
  const { code, stdout } = await project.piton(['run', 'flow', '--id', 'first']);
  expect(code).toBe(1);
  expect(stdout).toContain('2 tasks: 1 failed, 1 skipped');
  expect(stdout).toMatch(/✗ a: .*7/);
  expect(stdout).toMatch(/Next: piton logs first a\n {2}or: piton retry first a\n$/);
});

test('with --json every line is an event of the promised shape, in order, from the first to the last', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, b: { needs: ['a'] } });
  const { code, stdout, stderr } = await project.piton(['run', 'flow', '--json']);
  expect([code, stderr]).toEqual([0, '']);
  const events = parseLines(stdout);
  expect(events[0]).toMatchObject({ type: 'run.created', seq: 1 });
  expect(events.at(-1)).toMatchObject({ type: 'run.succeeded' });
  expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).sort((a, b) => a - b));
  const keys = new Set(events.flatMap((event) => Object.keys(event)));
  expect([...keys].sort()).toEqual(['at', 'attempt', 'data', 'run', 'seq', 'task', 'type']);
  const logged = await project.piton(['logs', '--json']);
  expect(parseLines(logged.stdout)).toEqual(events);
});

test('inputs are understood as the workflow declares them, from the command line and from files', async () => {
  const project = newProject();
  const inputs = {
    name: { type: 'string' },
    count: { type: 'integer', default: 1 },
    loud: { type: 'boolean', default: false },
    list: { type: 'array', default: [] },
  };
  const run =
    'printf "%s|%s|%s|%s" ${{ inputs.name }} ${{ inputs.count }} ${{ inputs.loud }} ${{ inputs.list }}';
  project.write('typed.yaml', JSON.stringify({ name: 'typed', inputs, tasks: { say: { run } } }));
  project.write('inputs.yaml', 'name: from-file\ncount: 4\n');
  const outputOf = async (...args: string[]): Promise<string> => {
    const { code, stdout } = await project.piton(['run', 'typed.yaml', ...args, '--json']);
    expect(code).toBe(0);
    const said = parseLines(stdout).find(({ type }) => type === 'task.succeeded');
    return said!.data['output'] as string;
  };
  expect(await outputOf('-i', 'name=007', '-i', 'count=3', '-i', 'loud=true', '-i', 'list=["x",2]')).toBe(
    '007|3|true|["x",2]',
  );
  expect(await outputOf('--input', 'inputs.yaml', '-i', 'name=a=b')).toBe('a=b|4|false|[]');
});

test('inputs that do not fit are refused with 2 and with what was probably meant, and nothing is started', async () => {
  const project = newProject();
  const inputs = { name: { type: 'string' }, count: { type: 'integer', default: 1 } };
  project.write('typed.yaml', JSON.stringify({ name: 'typed', inputs, tasks: { say: { run: 'echo' } } }));
  const refused = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await project.piton(['run', 'typed.yaml', ...args]);
    // Nothing may say that a run has begun.
    expect([code, stdout]).toEqual([2, '']);
    return stderr;
  };
  expect(await refused('-i', 'nam=x')).toContain('Did you mean `name`?');
  expect(await refused()).toContain('`name` is missing');
  expect(await refused('-i', 'name=x', '-i', 'count=many')).toContain(
    'The input `count` must be a whole number, and many is not.',
  );
  expect(await refused('-i', 'name')).toContain('Write -i name=value.');
  expect(await refused('-i', 'name=x', '--id', '-x y')).toContain('"-x y" cannot be the id of a run.');
  expect(await refused('--input', 'nowhere.json')).toContain('nowhere.json cannot be used');
  expect(await project.json(['list'])).toEqual([]);
});

test('--dry-run prints the plan with rendered values and writes nothing', async () => {
  const project = newProject();
  const tasks = {
    hello: { run: 'echo ${{ inputs.who }}', retry: 3, timeout: '10m' },
    ship: {
      needs: ['hello'],
      run: ['echo', '${{ inputs.who }}', '${{ tasks.hello.output }}'],
      approval: 'Ship to ${{ inputs.who }}?',
      'on-interrupt': 'ask',
    },
  };
  project.write('plan.yaml', JSON.stringify({ name: 'plan', inputs: { who: { type: 'string' } }, tasks }));
  const { code, stdout } = await project.piton(['run', 'plan.yaml', '--dry-run', '-i', "who=o'clock"]);
  expect(code).toBe(0);
  expect(stdout).toContain(String.raw`PITON_VALUE_1='o'\''clock'`);
  expect(stdout).toContain('3 attempts');
  expect(stdout).toContain('timeout 10m');
  expect(stdout).toContain("asks for approval: Ship to o'clock?");
  expect(stdout).toContain('on-interrupt ask');
  expect(stdout).toContain(String.raw`echo 'o'\''clock' '$`.concat("{{ tasks.hello.output }}'"));
  expect(stdout.indexOf('hello')).toBeLessThan(stdout.indexOf('ship after hello'));
  expect(readdirSync(project.folder)).toEqual(['plan.yaml']);
});

test('what a task prints is never executed, whatever shell syntax it holds', async () => {
  const project = newProject();
  const nasty = `"; touch hacked; echo $(touch hacked) \`touch hacked\` ' | touch hacked & #`;
  project.write('nasty.txt', nasty);
  const tasks = {
    print: { run: 'cat nasty.txt' },
    plain: { needs: ['print'], run: 'printf %s ${{ tasks.print.output }}' },
    quoted: { needs: ['print'], run: 'printf "%s" "got: ${{ tasks.print.output }}"' },
    list: { needs: ['print'], run: ['printf', '%s', '${{ tasks.print.output }}'] },
  };
  project.write('nasty.yaml', JSON.stringify({ name: 'nasty', tasks }));
  const { code, stdout } = await project.piton(['run', 'nasty.yaml', '--json']);
  expect(code).toBe(0);
  const outputs = parseLines(stdout).flatMap(({ type, task, data }) =>
    type === 'task.succeeded' ? [[task, data['output']]] : [],
  );
  expect(Object.fromEntries(outputs)).toEqual({
    print: nasty,
    plain: nasty,
    quoted: `got: ${nasty}`,
    list: nasty,
  });
  expect(existsSync(join(project.folder, 'hacked'))).toBe(false);
});

test('--only, --until and --skip run a part of the workflow', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, b: { needs: ['a'] }, c: { needs: ['b'] }, d: {} });
  const ran = async (...args: string[]): Promise<string[]> => {
    const before = ledgerOf(project).length;
    expect((await project.piton(['run', 'flow', ...args])).code).toBe(0);
    return ledgerOf(project).slice(before).sort();
  };
  expect(await ran('--only', 'c,d')).toEqual(['c', 'd']);
  expect(await ran('--until', 'b')).toEqual(['a', 'b']);
  expect(await ran('--skip', 'd')).toEqual(['a', 'b', 'c']);
  const { code, stderr } = await project.piton(['run', 'flow', '--only', 'e']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('e')]);
});

test('starting the same id again attaches: an ended run is told, one that is driven is watched, none runs twice', async () => {
  const project = newProject();
  writeTraced(project, { a: {} }, ['a']);
  const first = startPiton(project, ['run', 'flow', '--id', 'same']);
  await begun(project, 'a');
  const second = startPiton(project, ['run', 'flow', '--id', 'same']);
  await second.shows('is driven elsewhere: watching it');
  release(project, 'a');
  expect((await first.ended).code).toBe(0);
  expect((await second.ended).code).toBe(0);
  const third = await project.piton(['run', 'flow', '--id', 'same']);
  expect(third.code).toBe(0);
  expect(third.stdout).toContain('is there already (succeeded)');
  expect(ledgerOf(project)).toEqual(['a']);
});

test('a reader that goes away ends the printing, and the run goes on to its end', async () => {
  const project = newProject();
  writeTraced(project, { a: {}, b: { needs: ['a'] } }, ['a']);
  const { child, ended } = startPiton(project, ['run', 'flow', '--id', 'piped']);
  await begun(project, 'a');
  child.stdout!.destroy();
  child.stderr!.destroy();
  release(project, 'a');
  expect(await ended).toMatchObject({ code: 0, signal: null });
  expect(ledgerOf(project)).toEqual(['a', 'b']);
  expect(await project.json(['list'])).toMatchObject([{ run: 'piped', status: 'succeeded' }]);
});

test('a workflow in TypeScript runs its functions, and its retries are told with reason and time', async () => {
  const project = newProject();
  project.write(
    'code.ts',
    `import { workflow } from ${JSON.stringify(library)};
export default workflow('code')
  .task('flaky', { retry: { attempts: 2, backoff: '10ms' } }, ({ attempt }) => {
    if (attempt === 1) throw new Error('not yet');
    return 'ok';
  });`,
  );
  const { code, stdout } = await project.binary(['run', 'code.ts']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/⟳ flaky: attempt 1 failed: not yet; tries again (in \d+ms|at once)/);
  expect(stdout).toMatch(/✓ flaky \(attempt 2\)/);
});

test('what a module writes to standard output stays out of the JSON, at its import and later', async () => {
  const project = newProject();
  project.write(
    'code.ts',
    `import { workflow } from ${JSON.stringify(library)};
console.log('at import');
process.stdout.write('raw at import\\n');
export default workflow('code').task('talk', () => new Promise((done) => process.stdout.write('raw', () => done(1))));`,
  );
  const { code, stdout, stderr } = await project.binary(['run', 'code.ts', '--json']);
  expect(code).toBe(0);
  expect(parseLines(stdout).at(-1)).toMatchObject({ type: 'run.succeeded' });
  expect(parseLines(stderr)).toEqual([{ note: 'at import' }, { note: 'raw at import' }, { note: 'raw' }]);
  expect(await project.json(['graph', 'code.ts'])).toMatchObject({ workflow: 'code' });
});

test('an error that nobody caught in a function ends the driver with 1, is told, and the run is interrupted', async () => {
  const project = newProject();
  project.write(
    'code.ts',
    `import { workflow } from ${JSON.stringify(library)};
export default workflow('code').task('trip', () => new Promise(() => {
  setTimeout(() => { throw new Error('nobody caught me'); }, 1);
}));`,
  );
  const { code, stderr } = await project.binary(['run', 'code.ts', '--id', 'tripped', '--json']);
  expect(code).toBe(1);
  expect(parseLines(stderr)).toMatchObject([
    { error: { code: 'UNEXPECTED', message: 'nobody caught me' } },
    { note: expect.stringContaining('piton resume') },
  ]);
  expect(await project.json(['status', 'tripped'])).toMatchObject({ status: 'interrupted' });
});

test('what functions print stays out of the JSON, and is seen among the other lines', async () => {
  const project = newProject();
  project.write(
    'code.ts',
    `import { workflow } from ${JSON.stringify(library)};
export default workflow('code').task('talk', () => console.log('said %s\\nand more', 'this'));`,
  );
  const json = await project.binary(['run', 'code.ts', '--json']);
  expect([json.code, json.stderr]).toEqual([0, '{"note":"said this"}\n{"note":"and more"}\n']);
  expect(parseLines(json.stdout).at(-1)).toMatchObject({ type: 'run.succeeded' });
  const plain = await project.binary(['run', 'code.ts']);
  expect(plain.stdout).toContain('│ said this\n│ and more\n');
});
