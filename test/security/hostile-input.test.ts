import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import { isPlainObject, toJson } from '../../src/base/index.ts';
import { AgentStream } from '../../src/engine/agent-stream.ts';
import { loadWorkflow, open, type Run } from '../../src/index.ts';
import { marksIn } from '../../src/interfaces/cli/resolve/marks.ts';
import { UsageMeter } from '../../src/kernel/index.ts';
import type { SpoolOrder, Spool } from '../../src/spool/index.ts';
import { LocalSpool } from '../../src/spool/local/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function start(tasks: Readonly<Record<string, unknown>>): Promise<{ run: Run; folder: string }> {
  const folder = temporaryFolder();
  const piton = await open({ store: `sqlite:${join(folder, 'piton.db')}`, durability: 'process' });
  onTestFinished(() => piton.close());
  // JSON is YAML.
  writeFileSync(join(folder, 'flow.yaml'), JSON.stringify({ name: 'flow', tasks }));
  const workflow = await loadWorkflow(join(folder, 'flow.yaml'));
  return { run: await piton.start(workflow, { id: 'run', origin: { directory: folder } }), folder };
}

describe('keys of an output that JavaScript has a meaning for are data and nothing else', () => {
  const hostile = '{"__proto__":{"polluted":1},"toString":"x","a":1}';

  test('from the command to the journal, the expression and the next command', async () => {
    const { run } = await start({
      a: {
        run: `printf %s '${hostile}'`,
        capture: 'json',
        output: { type: 'object', additionalProperties: true },
      },
      b: {
        needs: 'a',
        run: `printf %s \${{ tasks.a.output }}`,
        capture: 'json',
        output: { type: 'object', additionalProperties: true },
      },
      c: {
        needs: ['a', 'b'],
        run: 'true',
        if: '"polluted" in tasks.a.output || "polluted" in tasks.b.output',
      },
      d: { needs: 'b', run: 'true', if: '"a" in tasks.b.output && "__proto__" in tasks.b.output' },
    });
    const { outputs } = await run.result();
    for (const name of ['a', 'b']) {
      const output = (outputs as Record<string, Record<string, unknown>>)[name]!;
      expect(isPlainObject(output)).toBe(true);
      expect(Object.keys(output).toSorted()).toEqual(['__proto__', 'a', 'toString']);
      expect(output['polluted']).toBeUndefined();
    }
    expect(Object.keys(outputs as object)).not.toContain('c');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    const { tasks } = await run.checkpoint();
    expect(tasks['c']!.status).toBe('skipped');
    expect(tasks['d']!.status).toBe('succeeded');
  });

  test('one that expressions cannot tell from a kind of value is refused by them, and does nothing else', async () => {
    const { run } = await start({
      a: { run: `printf %s '{"constructor":{"prototype":{"polluted":1}}}'`, capture: 'json' },
      b: { needs: 'a', run: 'echo ${{ tasks.a.output }}' },
    });
    expect((await run.result()).error).toMatchObject({ message: expect.stringContaining('tasks.a.output') });
    expect((await run.checkpoint()).tasks['a']!.output).toEqual({
      constructor: { prototype: { polluted: 1 } },
    });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('expressions do not see what every object has', async () => {
    const { run } = await start({
      a: { run: `echo '{}'`, capture: 'json', output: { type: 'object', additionalProperties: true } },
      ...Object.fromEntries(
        ['constructor', '__proto__', 'toString', 'hasOwnProperty'].map((key, index) => [
          `b${index}`,
          { needs: 'a', run: 'true', if: `"${key}" in tasks.a.output` },
        ]),
      ),
    });
    await run.result();
    const { tasks } = await run.checkpoint();
    expect(tasks['a']!.output).toEqual({});
    for (const index of [0, 1, 2, 3]) expect(tasks[`b${index}`]!.status).toBe('skipped');
  });
});

describe('of what an agent has used', () => {
  const usage = (more: object) => ({ type: 'usage', input: 100, output: 10, isCumulative: true, ...more });
  const read = (meter: UsageMeter, session: string, more = {}) =>
    meter.read({ attempt: 'a', session }, [usage(more) as never])!;

  test.each(['constructor', '__proto__', 'toString'])('a session named %s counts as any other', (session) => {
    const meter = new UsageMeter();
    expect(read(meter, session)).toMatchObject({ input: 100, output: 10 });
    expect(read(meter, session, { input: 150 })).toMatchObject({ input: 50, output: 0 });
    meter.copy(session, 'fork');
    expect(read(meter, 'fork', { input: 160 })).toMatchObject({ input: 10 });
  });

  test('less than nothing, and what is no number, is nothing: no agent gives itself a budget', () => {
    const counts = [-1e9, Number.NaN, Number.NEGATIVE_INFINITY, '5', null];
    for (const count of counts) {
      const used = read(new UsageMeter(), 's', { input: count, output: count, costUsd: count });
      expect(used).toMatchObject({ input: 0, output: 0, usd: 0 });
    }
    expect(Number.isFinite(read(new UsageMeter(), 's', { input: Infinity }).input)).toBe(true);
  });
});

describe('what is nested without end', () => {
  test('is refused as an output, with a short reason', async () => {
    const deep = `node -e 'console.log("[".repeat(100000) + "]".repeat(100000))'`;
    const { run } = await start({ a: { run: deep, capture: 'json' } });
    const { error } = await run.result();
    expect(error!.message).toMatch(/deep/);
    expect(error!.message.length).toBeLessThan(1_000);
  });

  test('is refused whoever gives it', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 300; depth++) value = { a: value };
    expect(() => toJson(value)).toThrow(/nested more than 200 deep/);
  });
});

describe('what a command puts in the place of files of its spool', () => {
  test.each([
    ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
    ['something huge', (file: string) => (writeFileSync(file, ''), truncateSync(file, 8 * 2 ** 30))],
  ])('%s: is not waited for, and not read', async (_, put) => {
    const folder = temporaryFolder();
    const spool = new LocalSpool({ folder, keys: temporaryFolder(), graceMs: 100, durability: 'process' });
    await spool.prepare(orderOf('one'));
    for (const name of ['exit', 'wrapper', 'stopping', 'input', 'attempt.json']) {
      rmSync(join(folder, 'one', name), { force: true });
      put(join(folder, 'one', name));
    }
    expect((await spool.look('one')).type).toBe('unclaimed');
    expect(await spool.describe('one')).toBeUndefined();
    expect(await spool.stopNote('one')).toBeUndefined();
    expect(await spool.readInput('one')).toBeUndefined();
    expect(await spool.lastLine('one')).toBeUndefined();
  });
});

function orderOf(attempt: string): SpoolOrder {
  const made = { run: 'r', seq: 1, task: 't', number: 1, key: 'k', argv: ['true'], directory: '/' };
  return { ...made, attempt, env: {}, secrets: [] };
}

test('a line of an agent without end is passed over, and what comes behind it is read', async () => {
  const piece = Buffer.alloc(256 * 1024, 'x');
  const end = Buffer.from('\n{"type":"system"}\n');
  const before = Buffer.from('first\n');
  const length = before.length + 600 * piece.length + end.length;
  const readFrom: Spool['readFrom'] = async (__, { position, maxBytes }) => {
    if (position >= length) return Buffer.alloc(0);
    if (position < before.length) return before.subarray(position);
    const inside = position - before.length;
    if (inside >= 600 * piece.length) return end.subarray(inside - 600 * piece.length);
    return piece.subarray(0, Math.min(maxBytes, 600 * piece.length - inside));
  };
  const stream = new AgentStream({ readFrom } as Spool, 'a', {
    agent: agentNamed('claude'),
    context: { now: 0 },
  });
  while ((await stream.next()) !== undefined);
  const texts = stream.events.map((event) => ('text' in event ? event.text : event.type));
  expect(texts.join('\n')).toContain(`[a line of ${600 * piece.length + 1} bytes, too long to be read]`);
});

describe('the id of a session, as an agent tells it,', () => {
  const lines = {
    claude: (id: string) => ({ type: 'system', subtype: 'init', session_id: id }),
    codex: (id: string) => ({ type: 'thread.started', thread_id: id }),
    gemini: (id: string) => ({ type: 'init', session_id: id }),
    opencode: (id: string) => ({ type: 'step_start', sessionID: id, part: {} }),
  };
  test.each(Object.entries(lines))('is never an option of %s', (name, lineOf) => {
    const told = (id: string) =>
      agentNamed(name)
        .parser({ now: 0 })
        .line(JSON.stringify(lineOf(id)))
        .filter(({ type }) => type === 'session');
    expect(told('0198-a')).toMatchObject([{ id: '0198-a' }]);
    for (const id of ['-c', '--dangerously-skip-permissions', '', 'a\nb', 'x'.repeat(300)])
      expect(told(id)).toEqual([]);
  });
});

test('a pipe or a link in the place of a file of a conflict is neither waited for nor read', () => {
  const folder = temporaryFolder();
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  writeFileSync(join(folder, 'elsewhere'), '<<<<<<< a\n=======\n>>>>>>> b\n');
  symlinkSync('elsewhere', join(folder, 'link'));
  expect(['pipe', 'link', 'none', '.'].map((name) => marksIn(join(folder, name)))).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
  expect(marksIn(join(folder, 'elsewhere'))).toMatchObject({ count: 1 });
});
