import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  loadWorkflow,
  open,
  workflow,
  type OpenOptions,
  type Piton,
  type Run,
  type RunEvent,
} from '../../src/index.ts';
import { isAlive } from '../spool/open-spool.ts';
import { eventually } from '../support/eventually.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Place {
  readonly folder: string;
  readonly piton: Piton;
  /** Starts a workflow of these tasks, in the folder. */
  run(tasks: Readonly<Record<string, unknown>>, more?: Readonly<Record<string, unknown>>): Promise<Run>;
  has(file: string): boolean;
}

async function openPlace(options: Partial<OpenOptions> = {}): Promise<Place> {
  const folder = temporaryFolder();
  const piton = await open({
    store: `sqlite:${join(folder, 'piton.db')}`,
    durability: 'process',
    graceMs: 300,
    ...options,
  });
  onTestFinished(() => piton.close());
  return {
    folder,
    piton,
    has: (file) => existsSync(join(folder, file)),
    async run(tasks, more = {}) {
      const file = join(folder, 'flow.yaml');
      // JSON is YAML.
      writeFileSync(file, JSON.stringify({ name: 'flow', ...more, tasks }));
      return piton.start(await loadWorkflow(file), { id: 'run', origin: { directory: folder } });
    },
  };
}

async function outputOf(
  task: Readonly<Record<string, unknown>>,
  options?: Partial<OpenOptions>,
): Promise<unknown> {
  const { run } = await openPlace(options);
  const { outputs, error } = await (await run({ task })).result();
  return error ?? (outputs as Record<string, unknown>)['task'];
}

async function events(run: Run): Promise<RunEvent[]> {
  return await Array.fromAsync(run.events());
}

describe('what a command gives', () => {
  test('is its standard output as text, without the last line break', async () => {
    expect(await outputOf({ run: 'echo one; echo two; echo not this >&2' })).toBe('one\ntwo');
  });

  test('is JSON where that is asked for, also with the mark some programs put before it', async () => {
    expect(await outputOf({ run: `printf '\\357\\273\\277{"a": 1}'`, capture: 'json' })).toEqual({ a: 1 });
  });

  test('is its last line, or nothing, where that is asked for', async () => {
    expect(await outputOf({ run: 'echo one; echo two; echo', capture: 'last-line' })).toBe('two');
    expect(await outputOf({ run: 'echo one', capture: 'none' })).toBeNull();
  });

  test('is JSON where a schema asks for it, and has to fit', async () => {
    expect(await outputOf({ run: `echo '{ "n": 1 }'`, output: { n: 'integer' } })).toEqual({ n: 1 });
    expect(await outputOf({ run: `echo '{ "n": "x" }'`, output: { n: 'integer' } })).toMatchObject({
      message: expect.stringContaining('does not fit its schema'),
    });
    expect(await outputOf({ run: 'echo oops', capture: 'json' })).toMatchObject({
      message: expect.stringContaining('not JSON'),
    });
  });

  test('is what it writes to $PITON_OUTPUT, whatever it prints', async () => {
    expect(await outputOf({ run: `echo chatter; echo '[1, 2]' > "$PITON_OUTPUT"` })).toEqual([1, 2]);
  });

  test('is the end of what it prints, if that is long; all of it is in the spool', async () => {
    const { run, piton } = await openPlace();
    const task = { run: 'i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i+1)); done' };
    const started = await run({ task });
    const { outputs } = await started.result();
    const text = (outputs as { task: string }).task;
    const { attempt } = (await started.checkpoint()).tasks['task']!;

    expect(text).toMatch(/^\[the end of \d+ bytes, which are in the spool\]\n/);
    expect(text.endsWith('line 19999')).toBe(true);
    expect(text.length).toBeLessThan(70_000);
    const whole = readFileSync(join(piton.spoolOf(attempt!), 'stdout'), 'utf8');
    expect(whole.split('\n')).toHaveLength(20_001);
  });

  test('is what it prints where it has put a pipe or a device in the place of $PITON_OUTPUT', async () => {
    const durable = { durability: 'full' } as const;
    expect(await outputOf({ run: 'mkfifo "$PITON_OUTPUT"; echo whole' }, durable)).toBe('whole');
    expect(await outputOf({ run: 'ln -s /dev/zero "$PITON_OUTPUT"; echo whole' }, durable)).toBe('whole');
  });

  test('may be binary: what is no text is replaced', async () => {
    expect(await outputOf({ run: String.raw`printf 'a\377\000b'` })).toBe('a\uFFFD\u0000b');
  });
});

describe('what a command is given', () => {
  test('are arguments as they are, never seen by a shell', async () => {
    const hostile = '$(touch pwned) `touch pwned` ; touch pwned "\' \\ *';
    const { run, has } = await openPlace();
    const started = await run(
      {
        list: { run: ['printf', '%s', '${{ inputs.text }}'] },
        text: { run: "printf '%s' ${{ inputs.text }}" },
        quoted: { run: 'printf "%s" "<${{ inputs.text }}>"' },
      },
      { inputs: { text: { type: 'string', default: hostile } } },
    );

    expect((await started.result()).outputs).toEqual({
      list: hostile,
      text: hostile,
      quoted: `<${hostile}>`,
    });
    expect(has('pwned')).toBe(false);
  });

  test('is what another command printed, and that is not executed either', async () => {
    const { run, has } = await openPlace();
    const started = await run({
      first: { run: `printf '%s' '$(touch pwned); touch pwned'` },
      second: { needs: ['first'], run: 'echo got ${{ tasks.first.output }}' },
    });
    expect((await started.result()).outputs).toMatchObject({ second: 'got $(touch pwned); touch pwned' });
    expect(has('pwned')).toBe(false);
  });

  test('are env, its place in the run, and a key that stays the same over attempts', async () => {
    const { run, folder } = await openPlace();
    const text = `echo "$PITON_RUN $PITON_TASK $PITON_ATTEMPT $PITON_KEY $GREETING" >> seen; [ "$PITON_ATTEMPT" = 2 ]`;
    const retry = { attempts: 2, backoff: '1ms' };
    await (await run({ task: { run: text, retry, env: { GREETING: 'hi ${{ run.id }}' } } })).result();
    const [first, second] = readFileSync(join(folder, 'seen'), 'utf8').trim().split('\n');

    expect(first).toMatch(/^run task 1 \w+ hi run$/);
    expect(second).toBe(first!.replace('task 1', 'task 2'));
  });

  test('is a folder relative to that of the run', async () => {
    const { run, folder } = await openPlace();
    mkdirSync(join(folder, 'inner'));
    const started = await run({ task: { run: 'pwd', 'working-directory': 'inner' } });
    expect((await started.result()).outputs).toEqual({ task: join(folder, 'inner') });
  });
});

test('a command whose condition does not hold is skipped, and says it as it was written', async () => {
  const { run } = await openPlace();
  const started = await run({
    a: { if: '1 > 2 // never', run: 'true' },
    b: { if: 'failure()', run: 'true' },
  });
  await started.result();
  const { tasks } = await started.checkpoint();
  expect([tasks['a']!.reason, tasks['b']!.reason]).toEqual([
    'its condition does not hold: 1 > 2 // never',
    'its condition does not hold: failure()',
  ]);
});

describe('what a command has printed', () => {
  const told = async (parts: AsyncIterable<{ stream: string; text: string; end: number }>) => {
    const got = { stdout: '', stderr: '', end: { stdout: 0, stderr: 0 } };
    for await (const { stream, text, end } of parts) {
      got[stream as 'stdout'] += text;
      got.end[stream as 'stdout'] = end;
    }
    return got;
  };

  test('is read from where the last reading stopped, or only its last lines', async () => {
    const { run, piton } = await openPlace();
    const started = await run({ talk: { run: 'printf "ä1\\n2\\n3"; printf "a\\n\\nc\\n" >&2' } });
    await started.result();
    const { attempt } = (await started.checkpoint()).tasks['talk']!;
    const whole = await told(piton.output(attempt!));
    expect(whole).toEqual({ stdout: 'ä1\n2\n3', stderr: 'a\n\nc\n', end: { stdout: 7, stderr: 5 } });
    expect(await told(piton.output(attempt!, { after: { stdout: 4 } }))).toMatchObject({
      stdout: '2\n3',
      stderr: 'a\n\nc\n',
    });
    // In the middle of a line, and of a character: the line is told whole.
    expect(await told(piton.output(attempt!, { after: { stdout: 1, stderr: 5 } }))).toMatchObject({
      stdout: 'ä1\n2\n3',
      stderr: '',
    });
    for (const [tail, stdout, stderr] of [
      [0, '3', ''],
      [1, '3', 'c\n'],
      [2, '2\n3', '\nc\n'],
      [3, 'ä1\n2\n3', 'a\n\nc\n'],
      [99, 'ä1\n2\n3', 'a\n\nc\n'],
    ] as const)
      expect(await told(piton.output(attempt!, { tail }))).toMatchObject({ stdout, stderr });
  });

  test('is read on while it goes on, each line once, by whoever comes back', async () => {
    const { run, piton, folder } = await openPlace();
    const started = await run({
      talk: { run: 'for i in 1 2 3; do echo line $i; until [ -e go$i ]; do sleep 0.05; done; done' },
    });
    const attemptNow = async () => (await started.checkpoint()).tasks['talk']?.attempt;
    await eventually('it has begun', async () => (await attemptNow()) !== undefined);
    const attempt = (await attemptNow())!;
    await eventually('it has printed something', async () => (await piton.lastLine(attempt)) !== undefined);
    const lines: string[] = [];
    let after = {};
    for (const count of [1, 2, 3]) {
      for await (const { stream, text, end } of piton.output(attempt, { after, follow: true })) {
        lines.push(...text.trimEnd().split('\n'));
        after = { [stream]: end };
        if (lines.length >= count) break;
      }
      writeFileSync(join(folder, `go${count}`), '');
    }
    await started.result();
    expect(lines).toEqual(['line 1', 'line 2', 'line 3']);
  });
});

describe('a secret', () => {
  const environment = { ...process.env, TOKEN: 'hunter2-hunter2' };

  test('is given to the command, and appears neither in the journal nor in what is shown of its output', async () => {
    const { run, piton, folder } = await openPlace({ environment });
    const started = await run({
      good: { run: 'echo "it is $TOKEN"', secrets: ['TOKEN'] },
      bad: { run: 'echo "no: $TOKEN" >&2; exit 1', secrets: ['TOKEN'], 'continue-on-error': true },
    });
    const { outputs } = await started.result();
    const { attempt } = (await started.checkpoint()).tasks['good']!;
    const shown = await Array.fromAsync(piton.output(attempt!));

    expect(outputs).toEqual({ good: 'it is ***' });
    expect(shown.map(({ text }) => text).join('')).toBe('it is ***\n');
    expect(JSON.stringify(await events(started))).not.toContain('hunter2');
    expect(readFileSync(join(piton.spoolOf(attempt!), 'attempt.json'), 'utf8')).not.toContain('hunter2');
    expect(readFileSync(join(folder, 'piton.db-wal')).includes('hunter2')).toBe(false);
  });

  test('of one task is hidden as well where another one prints it, which has asked for the whole environment', async () => {
    const { run, piton } = await openPlace({ environment });
    const started = await run({
      first: { run: 'true', secrets: ['TOKEN'] },
      second: { run: 'echo "it is $TOKEN"', 'inherit-env': true },
    });
    expect((await started.result()).outputs).toMatchObject({ second: 'it is ***' });
    const { attempt } = (await started.checkpoint()).tasks['second']!;
    const shown = await Array.fromAsync(piton.output(attempt!));
    expect(shown.map(({ text }) => text).join('')).toBe('it is ***\n');
  });

  test('is nowhere in parts either: not in what is said about JSON that is none, not where a long text was cut', async () => {
    const TOKEN = 'hunter2-"hunter2"-0123456789';
    const KEY = 'first line of it\nsecond line of it';
    const { run, piton, folder } = await openPlace({
      environment: { ...process.env, TOKEN, KEY, PIN: '48151623' },
    });
    const started = await run(
      {
        broken: { run: 'printf %s "$TOKEN"', capture: 'json' },
        late: { run: `printf '{"a": 1} %s' "$TOKEN"`, capture: 'json' },
        escaped: { run: `node -p 'JSON.stringify(process.env.TOKEN)'` },
        number: { run: `echo '{"pin":' "$PIN" '}'`, capture: 'json' },
        lines: { run: 'echo "$KEY" | head -n 1' },
        cut: { run: `node -e 'process.stdout.write(process.env.TOKEN.repeat(3000))'` },
        words: { run: `node -e 'process.stderr.write(process.env.TOKEN.repeat(100)); process.exit(1)'` },
      },
      { secrets: ['TOKEN', 'KEY', 'PIN'] },
    );
    await started.result();
    const journal = JSON.stringify(await events(started));
    const { tasks } = await started.checkpoint();

    for (const part of ['unter2', 'nter2', '3456789', 'first line', '48151623'])
      expect(journal).not.toContain(part);
    expect(readFileSync(join(folder, 'piton.db-wal')).includes('hunter2')).toBe(false);
    expect(tasks['late']!.error!.message).toContain('is not JSON: Unexpected');
    expect(tasks['number']!.output).toEqual({ pin: '***' });
    expect(await piton.lastLine(tasks['lines']!.attempt!)).toBe('***');
  });

  test('is hidden in a line without end too, which is shown before it ends', async () => {
    const { run, piton } = await openPlace({ environment });
    const started = await run({
      task: {
        run: `node -e 'process.stdout.write((process.env.TOKEN + "--").repeat(20_000))'`,
        secrets: ['TOKEN'],
      },
    });
    await started.result();
    const { attempt } = (await started.checkpoint()).tasks['task']!;
    const shown = await Array.fromAsync(piton.output(attempt!), ({ text }) => text);

    expect(shown.length).toBeGreaterThan(1);
    expect(shown.join('')).toBe('***--'.repeat(20_000));
  });

  test('is hidden wherever reading begins, in short lines and in one that never ends', async () => {
    const { run, piton } = await openPlace({ environment });
    const many = `for (let i = 0; i < 30; i++) console.log(i, process.env.TOKEN);`;
    const long = `process.stdout.write((process.env.TOKEN + "--").repeat(10_000));`;
    const started = await run({
      short: { run: `node -e '${many}'`, secrets: ['TOKEN'] },
      long: { run: `node -e '${long}'`, secrets: ['TOKEN'] },
    });
    await started.result();
    const { tasks } = await started.checkpoint();
    for (const [task, size] of [
      ['short', 550],
      ['long', 170_000],
    ] as const) {
      for (let place = 1; place < size; place += task === 'short' ? 1 : 9_973) {
        const after = { stdout: place };
        const shown = await Array.fromAsync(
          piton.output(tasks[task]!.attempt!, { after }),
          ({ text }) => text,
        );
        expect(shown.join('')).not.toMatch(/hunter|nter2/);
      }
    }
  });

  test('is hidden where it is not known too', async () => {
    const { run, folder } = await openPlace({ environment });
    const started = await run({ task: { run: 'echo "it is $TOKEN"', secrets: ['TOKEN'] } });
    await started.result();
    const { attempt } = (await started.checkpoint()).tasks['task']!;
    const elsewhere = await openPlace({ store: `sqlite:${join(folder, 'piton.db')}` });
    const shown = await Array.fromAsync(elsewhere.piton.output(attempt!));

    expect(shown.map(({ text }) => text).join('')).toBe('it is ***\n');
    expect(await elsewhere.piton.lastLine(attempt!)).toBe('it is ***');
  });

  test('that is not there is told before anything starts', async () => {
    const { run, has } = await openPlace();
    const tasks = { first: { run: 'touch ran' }, task: { needs: ['first'], run: 'x', secrets: ['NO_SUCH'] } };
    await expect(run(tasks)).rejects.toMatchObject({ code: 'SECRET_MISSING' });
    expect(has('ran')).toBe(false);
  });
});

describe('a command that does not succeed', () => {
  test('fails with its exit code and its last words, and is classified', async () => {
    const { run } = await openPlace();
    const started = await run({
      plain: { run: 'echo "it is broken" >&2; exit 7' },
      missing: { run: ['no-such-program-anywhere'], retry: 3 },
      busy: { run: 'echo "HTTP 503 from upstream" >&2; exit 1' },
    });
    await started.result();
    const { tasks } = await started.checkpoint();

    expect(tasks['plain']!.error).toMatchObject({
      code: 'COMMAND_FAILED',
      message: 'exit code 7: it is broken',
      exit: 7,
      class: 'unknown',
    });
    expect(tasks['missing']).toMatchObject({ attempts: 1, error: { exit: 127, class: 'permanent' } });
    expect(tasks['busy']!.error).toMatchObject({ class: 'transient' });
  });

  test('that takes too long is ended, whatever it does about that', async () => {
    const { run } = await openPlace();
    const started = await run({
      task: { run: `trap '' TERM; while :; do sleep 0.05; done`, timeout: '200ms' },
    });
    await started.result();
    expect((await started.checkpoint()).tasks['task']!.error).toMatchObject({ code: 'TIMEOUT' });
  });

  test('because it would be given the character NUL, says so', async () => {
    const { run } = await openPlace();
    const started = await run({ task: { run: ['echo', "${{ 'a\\u0000b' }}"] } });
    await started.result();
    expect((await started.checkpoint()).tasks['task']!.error).toMatchObject({
      code: 'COMMAND_NOT_STARTED',
      message: expect.stringContaining('the character NUL') as string,
    });
  });

  test('because its folder is not there, says so', async () => {
    const { run } = await openPlace();
    const started = await run({ task: { run: 'true', 'working-directory': 'nowhere' } });
    await started.result();
    expect((await started.checkpoint()).tasks['task']!.error).toMatchObject({ code: 'COMMAND_NOT_STARTED' });
  });

  test('that kills its wrapper has an unknown end: it is tried again, and then asked about', async () => {
    const { run, folder } = await openPlace();
    const started = await run({
      again: {
        run: 'echo x >> again; [ -e second ] || { touch second; kill -9 $PPID; sleep 5; }; echo fine',
      },
      ask: { run: 'kill -9 $PPID; sleep 5', 'on-interrupt': 'ask' },
    });
    await eventually('it is held', async () => (await started.status()) === 'held');
    const { tasks } = await started.checkpoint();

    expect(tasks['again']).toMatchObject({ status: 'succeeded', output: 'fine', attempts: 2 });
    expect(readFileSync(join(folder, 'again'), 'utf8')).toBe('x\nx\n');
    expect(tasks['ask']).toMatchObject({
      status: 'held',
      actions: expect.arrayContaining(['retry', 'skip']),
    });
  });
});

test('what a command leaves running is ended with it', async () => {
  const { run, folder } = await openPlace();
  const started = await run({
    task: { run: '(setsid sleep 300 & echo $! > pid); while [ ! -s pid ]; do :; done' },
  });
  expect((await started.result()).status).toBe('succeeded');
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  expect(isAlive(pid)).toBe(false);
});

describe('stopping', () => {
  test('a cancelled run ends its commands, also those that do not want to', async () => {
    const { run, has } = await openPlace();
    const started = await run({ task: { run: `trap '' TERM; touch begun; while :; do sleep 0.05; done` } });
    await eventually('it runs', () => has('begun'));
    await started.cancel('enough');
    expect(await started.result()).toMatchObject({ status: 'cancelled' });
    expect((await started.checkpoint()).tasks['task']).toMatchObject({ status: 'cancelled' });
  });

  test('closing interrupts what may be started again, and waits for what must not be interrupted', async () => {
    const place = await openPlace();
    const started = await place.run({
      gentle: { run: 'touch gentle; while :; do sleep 0.02; done' },
      careful: {
        run: 'touch careful; while [ ! -e go ]; do sleep 0.02; done; echo whole',
        'on-interrupt': 'ask',
      },
    });
    await eventually('both run', () => place.has('gentle') && place.has('careful'));
    const closing = place.piton.close();
    await eventually('one of them is interrupted', async () => {
      const again = await open({ store: `sqlite:${join(place.folder, 'piton.db')}` });
      const { tasks } = await (await again.find('run')).checkpoint();
      await again.close();
      return tasks['gentle']!.status === 'queued';
    });
    writeFileSync(join(place.folder, 'go'), '');
    await closing;

    await using again = await open({ store: `sqlite:${join(place.folder, 'piton.db')}` });
    const { tasks } = await (await again.find(started.id)).checkpoint();
    expect(tasks['careful']).toMatchObject({ status: 'succeeded', output: 'whole' });
  });
});

test('a command that has failed has failed, also if the driver is stopped while it ends what is left of it', async () => {
  const place = await openPlace();
  const stubborn = `(trap 'touch asked' TERM; : >begun; while :; do sleep 0.02 || :; done) &`;
  await place.run({ task: { run: `${stubborn}\nwhile [ ! -e begun ]; do sleep 0.01; done; exit 3` } });
  await eventually('what is left is asked to end', () => place.has('asked'));
  await place.piton.close();

  await using again = await open({ store: `sqlite:${join(place.folder, 'piton.db')}` });
  expect((await (await again.find('run')).checkpoint()).tasks['task']).toMatchObject({
    status: 'failed',
    error: { exit: 3 },
  });
});

test('a command that cannot be started for lack of open files is put off, and has not failed', async () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'flow.yaml'),
    JSON.stringify({ name: 'flow', tasks: { task: { run: 'true' } } }),
  );
  const program = startProgram('lack-files', { args: [folder], under: 'ulimit -n 256' });

  expect((await program.ended()).lines).toEqual(['task.delayed']);
});

describe('going on', () => {
  async function killedDriver(tasks: Readonly<Record<string, unknown>>): Promise<string> {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'flow.yaml'), JSON.stringify({ name: 'flow', tasks }));
    const driver = startProgram('drive-commands', { args: [JSON.stringify({ folders: [folder] })] });
    await eventually('the command runs', () => existsSync(join(folder, 'begun')));
    driver.child.kill('SIGKILL');
    await driver.ended();
    return folder;
  }

  const waiting = 'touch begun; while [ ! -e go ]; do sleep 0.02; done; echo over';

  test('is told beforehand, task by task', async () => {
    const folder = await killedDriver({
      slow: { run: waiting },
      after: { needs: ['slow'], run: 'true' },
    });
    await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
    const before = await piton.preview('run');
    writeFileSync(join(folder, 'go'), '');
    await eventually('it has ended', async () => (await piton.preview('run')).tasks[0]!.action === 'harvest');

    expect(before.tasks).toMatchObject([
      { task: 'slow', action: 'adopt' },
      { task: 'after', action: 'wait' },
    ]);
  });

  test('with a run that was cancelled meanwhile ends the commands that still run', async () => {
    const folder = await killedDriver({ slow: { run: waiting } });
    await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}`, graceMs: 300 });
    await (await piton.find('run')).cancel('enough');
    const { definition } = await piton.definitionOf('run');
    const run = await piton.resume(definition, 'run');

    expect(await run.result()).toMatchObject({ status: 'cancelled', error: { message: 'enough' } });
  });

  test('can be given up at once: what was adopted is stopped', async () => {
    const folder = await killedDriver({ slow: { run: waiting } });
    const store = `sqlite:${join(folder, 'piton.db')}`;
    const piton = await open({ store, graceMs: 300 });
    const { definition } = await piton.definitionOf('run');
    const closed = Promise.withResolvers<void>();
    piton.observe(({ type }) => type === 'attempt.recovered' && closed.resolve(piton.close()));
    await piton.resume(definition, 'run').catch(() => {});
    await closed.promise;

    await using again = await open({ store });
    expect((await (await again.find('run')).checkpoint()).tasks['slow']).toMatchObject({ status: 'queued' });
  });

  test('with a command that somebody else has asked to stop does not take that for its failure', async () => {
    const folder = await killedDriver({ slow: { run: waiting } });
    await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
    const { definition } = await piton.definitionOf('run');
    const run = await piton.resume(definition, 'run');
    const { attempt } = (await run.checkpoint()).tasks['slow']!;
    const note = JSON.stringify({ type: 'interrupted', text: 'the driver was stopped' });
    writeFileSync(join(piton.spoolOf(attempt!), 'stopping'), note);
    process.kill(-(await piton.keptAttempts()).find((kept) => kept.attempt === attempt)!.pid!, 'SIGTERM');
    writeFileSync(join(folder, 'go'), '');

    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { slow: 'over' } });
  });

  test('is refused to a process of one of its own tasks', async () => {
    const folder = await killedDriver({ slow: { run: waiting } });
    const store = `sqlite:${join(folder, 'piton.db')}`;
    await using outside = await open({ store });
    const { attempt } = (await (await outside.find('run')).checkpoint()).tasks['slow']!;
    await using inside = await open({ store, environment: { [`PITON_MARK_${attempt}`]: '1' } });
    const { definition } = await inside.definitionOf('run');

    await expect(inside.resume(definition, 'run')).rejects.toMatchObject({ code: 'RUN_INSIDE' });
    writeFileSync(join(folder, 'go'), '');
    expect(await (await outside.resume(definition, 'run')).result()).toMatchObject({ status: 'succeeded' });
  });

  test.for([
    ['anywhere', {}],
    ['in the middle of a write', { PITON_STOP_AT: 'store:before-commit#2' }],
  ] as const)('is possible from a driver that was stopped %s, which is ended first', async ([, env]) => {
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, 'flow.yaml'),
      JSON.stringify({ name: 'flow', tasks: { slow: { run: waiting } } }),
    );
    const driver = startProgram('drive-commands', { args: [JSON.stringify({ folders: [folder] })], env });
    await eventually('the command runs', () => existsSync(join(folder, 'begun')));
    if (!('PITON_STOP_AT' in env)) driver.child.kill('SIGSTOP');
    await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}?patience=200` });
    const { definition } = await piton.definitionOf('run');
    await eventually('it is seen to be stopped', async () => (await piton.driver('run'))?.stopped === true);

    await expect(piton.resume(definition, 'run')).rejects.toMatchObject({
      code: 'RUN_DRIVEN',
      details: { pid: driver.child.pid, stopped: true },
    });
    const run = await piton.resume(definition, 'run', { takeover: 'kill' });
    writeFileSync(join(folder, 'go'), '');
    expect((await driver.ended()).by).toBe('SIGKILL');
    expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { slow: 'over' } });
  });

  test('does again what is named, with all that came of it, also after the end', async () => {
    const { run, piton, folder } = await openPlace();
    const trace = 'echo "$PITON_TASK" >> ledger';
    const started = await run({
      first: { run: trace },
      second: { needs: ['first'], run: `${trace}; [ -e go ]` },
      third: { needs: ['second'], run: trace },
    });
    expect((await started.result()).status).toBe('failed');
    writeFileSync(join(folder, 'go'), '');
    const { definition } = await piton.definitionOf('run');
    const again = await piton.resume(definition, 'run', { redo: ['second'] });

    expect((await again.result()).status).toBe('succeeded');
    expect(readFileSync(join(folder, 'ledger'), 'utf8')).toBe('first\nsecond\nsecond\nthird\n');
  });
});

test('commands are nodes of a graph: what they print changes the state only as `update` says', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'flow.yaml');
  const graph = {
    add: { run: 'echo chatter', next: 'count' },
    count: {
      run: ['expr', '${{ state.n }}', '+', '1'],
      update: { n: '${{ int(output) }}' },
      next: [{ if: 'state.n >= 3', to: 'end' }, { to: 'ask' }],
    },
    ask: {
      approval: 'Once more?',
      run: 'true',
      next: [{ if: 'failure()', to: 'end' }, { to: 'add' }],
    },
  };
  writeFileSync(file, JSON.stringify({ name: 'flow', state: { n: 0 }, start: 'add', graph }));
  await using piton = await open({ store: 'memory:' });
  const run = await piton.start(await loadWorkflow(file), { id: 'run', origin: { directory: folder } });
  await eventually('it asks', async () => (await run.status()) === 'held');
  await run.approve('ask#1');
  await eventually('it asks again', async () => (await run.checkpoint()).tasks['ask#2']?.status === 'held');
  await run.reject('ask#2');

  expect(await run.result()).toMatchObject({ status: 'succeeded', state: { n: 2 } });
});

test('commands and functions of one TypeScript workflow give each other what they have', async () => {
  await using piton = await open({ store: 'memory:' });
  const flow = workflow<{ name: string }>('flow')
    .command('greet', 'echo hello ${{ inputs.name }}')
    .task('length', { needs: ['greet'] }, ({ needs }) => needs.greet.length)
    .command(
      'facts',
      { needs: ['length'], capture: 'json', env: { N: '${{ tasks.length.output }}' } },
      'echo "[$N]"',
    );
  const run = await piton.start(flow, { inputs: { name: 'ada' } });

  expect(await run.result()).toMatchObject({ outputs: { greet: 'hello ada', length: 9, facts: [9] } });
});

describe('an approval', () => {
  test('is asked for before the task starts, and decided once', async () => {
    const { run, has } = await openPlace();
    const started = await run({ task: { approval: 'Really ${{ run.id }}?', run: 'touch ran' } });
    expect(await started.status()).toBe('held');
    expect((await started.checkpoint()).tasks['task']).toMatchObject({
      status: 'held',
      reason: 'Really run?',
    });
    expect(has('ran')).toBe(false);

    expect(await started.approve('task')).toMatchObject({ status: 'accepted' });
    expect((await started.result()).status).toBe('succeeded');
    expect(await started.approve('task')).toMatchObject({ status: 'refused' });
    expect(has('ran')).toBe(true);
  });

  test('that is refused fails the task, with the comment as the reason', async () => {
    const { run, has } = await openPlace();
    const started = await run({ task: { approval: 'Really?', run: 'touch ran' } });
    await started.reject('task', 'not on a Friday');
    expect(await started.result()).toMatchObject({ status: 'failed' });
    expect((await started.checkpoint()).tasks['task']!.error).toMatchObject({
      code: 'REJECTED',
      message: 'not on a Friday',
    });
    expect(has('ran')).toBe(false);
  });
});
