/** What the real CLIs wrote, version by version, and what it must be understood as. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import type { Json } from '../../src/base/index.ts';
import { UsageMeter } from '../../src/kernel/index.ts';
import { outcomesOf, parseStream, streamContract, type RecordedStream } from '../contracts/agent.ts';

const root = join(import.meta.dirname, '../fixtures/agents');

type Outcome = RecordedStream['outcome'];

/** By the name of the case; a case that is not here must be thought about first. */
const outcomes: Readonly<Record<string, Outcome>> = {
  say: 'result',
  shell: 'result',
  edit: 'result',
  retried: 'result',
  structured: 'result',
  denied: 'denied',
  'denied-ask': 'denied',
  asked: 'asked',
  unsupported: 'unsupported',
  'denied-rule': 'denied',
  auth: 'auth',
  'model-unknown': 'model-unknown',
  limit: 'limit',
  'limit-subscriber': 'limit',
  'limit-unknown': 'limit',
  'max-turns': 'max-turns',
  budget: 'budget',
  truncated: 'truncated',
  refused: 'refused',
  'limit-next-day': 'limit',
  'not-offered': 'denied',
  // The engine holds it against the schema.
  'structured-missing': 'result',
  'killed-answer': 'error',
  'killed-answer-resumed': 'result',
  'killed-tool': 'error',
  'killed-tool-resumed': 'result',
};

/** Where a CLI does something else than the name of the case says. */
const exceptions: Readonly<Record<string, Outcome>> = {
  // It asks the model to go on, and that does.
  'claude-2.1.325/refused': 'result',
  'claude-2.1.325/truncated': 'result',
  // That the model refused is not on its stream.
  'codex-0.166.0/refused': 'result',
  'gemini-0.61.0/refused': 'result',
  'gemini-0.61.0/truncated': 'result',
  // The tool is not offered, and the model says that it has none.
  'opencode-1.18.33/denied': 'result',
  // It waits without a word until it is killed. With the log on standard error, as we start it, that would tell.
  'opencode-1.18.33/limit': 'error',
};

interface Recording {
  readonly exit: number | string | null;
  readonly stderr: string;
}

function recorded(folder: string, name: string): RecordedStream {
  const about = JSON.parse(readFileSync(join(root, folder, `${name}.json`), 'utf8')) as Recording;
  const text = readFileSync(join(root, folder, `${name}.jsonl`), 'utf8');
  return {
    title: `it went as in \`${name}\``,
    lines: text.split('\n').slice(0, -1),
    exit: { code: typeof about.exit === 'number' ? about.exit : 137, timedOut: false },
    stderr: about.stderr,
    outcome: exceptions[`${folder}/${name}`] ?? outcomes[name] ?? 'error',
  };
}

test('Claude Code, as recorded, killed in a tool and gone on in its session: both count, each once', () => {
  const meter = new UsageMeter();
  const session = 's';
  const used = ['killed-tool', 'killed-tool-resumed'].map((attempt) => {
    const parser = agentNamed('claude').parser({ now: 0 });
    // Only whole lines: nobody sees the end of a process that is gone with its wrapper.
    const events = recorded('claude-2.1.325', attempt).lines.flatMap((line) => parser.line(line));
    return meter.read({ attempt, session }, events as unknown as Json[]);
  });
  expect(used).toMatchObject([
    { input: 10, output: 5, usd: 0, unpricedTokens: 15 },
    { input: 10, output: 5, usd: expect.closeTo(0.00014), unpricedTokens: 0 },
  ]);
});

/** A limit that the guide of agents tells: if one of them begins to tell more, the adapter has to read it, and the guide to say so. */
test.each(['codex-0.166.0', 'gemini-0.61.0'])(
  '%s, as recorded, tells nothing of what a killed turn used, neither before its end nor in the next one',
  (folder) => {
    const meter = new UsageMeter();
    const used = ['killed-tool', 'killed-tool-resumed'].map((attempt) => {
      const { lines } = recorded(folder, attempt);
      const parser = agentNamed(folder.split('-')[0]!).parser({ now: 0 });
      const events = lines.flatMap((line) => parser.line(line));
      return {
        isTold: /token/i.test(lines.join('\n')),
        used: meter.read({ attempt, session: 's' }, events as unknown as Json[]),
      };
    });
    expect(used).toMatchObject([
      { isTold: false, used: undefined },
      // Of one question to the model, as in `say`; the killed turn had asked another.
      { isTold: true, used: { input: 10, output: 5 } },
    ]);
  },
);

for (const folder of readdirSync(root)) {
  const agent = agentNamed(folder.split('-')[0]!);
  const names = readdirSync(join(root, folder)).flatMap((file) => /^(.*)\.jsonl$/.exec(file)?.[1] ?? []);
  describe(`${folder}, as recorded,`, () => {
    for (const name of names) streamContract(agent, recorded(folder, name));

    test('has no case that nobody has thought about', () => {
      expect(names.filter((name) => !(name in outcomes) && !(`${folder}/${name}` in exceptions))).toEqual([]);
    });

    test('is of a version that counts as tested', () => {
      expect(agent.tested?.to).toBe(folder.split('-')[1]);
    });

    test('cut off in the middle of the line with its result, has none, and what came before is told', () => {
      const stream = recorded(folder, 'say');
      const last = stream.lines.at(-1)!;
      for (const length of [1, last.length >> 1, last.length - 1]) {
        const lines = [...stream.lines.slice(0, -1), last.slice(0, length)];
        const events = parseStream(agent, { lines, exit: { code: 137, timedOut: false } });
        expect(outcomesOf(events)).toMatchObject([{ type: 'failure', kind: 'error' }]);
        expect(events).toContainEqual({ type: 'message', role: 'assistant', text: 'hello there' });
      }
    });

    test('has no event that is not known', () => {
      const strange = names.flatMap((name) =>
        parseStream(agent, recorded(folder, name)).filter(
          (event) => event.type === 'unknown' && event.kind !== undefined,
        ),
      );
      expect(strange).toEqual([]);
    });

    test('with what it calls its events, or the parts of one, renamed, tells of no call that is not noticed', () => {
      const { lines } = recorded(folder, 'shell');
      const names = new Set(
        [...lines.join('\n').matchAll(/"(?:sub)?type":"([^"]+)"/g)].map(([, name]) => name!),
      );
      for (const name of names) {
        const renamed = lines.map((line) => line.replaceAll(`type":"${name}"`, `type":"new-${name}"`));
        const events = parseStream(agent, { lines: renamed, exit: { code: 137, timedOut: false } });
        const isUnderstood = ['tool-started', 'tool-finished'].every((type) =>
          events.some((event) => event.type === type),
        );
        const isNoticed = events.some((event) => event.type === 'unknown');
        expect({ name, isSeen: isUnderstood || isNoticed }).toEqual({ name, isSeen: true });
      }
    });

    const kills = agent.showsToolStart ? ['killed-tool'] : [];
    test.each(kills)('%s: killed in a call whose beginning is renamed, is noticed all the same', (kill) => {
      const { lines } = recorded(folder, kill);
      const kinds = new Set([...lines.join('\n').matchAll(/"type":"([^"]+)"/g)].map(([, kind]) => kind!));
      for (const kind of kinds) {
        const renamed = lines.map((line) => line.replaceAll(`"type":"${kind}"`, `"type":"new-${kind}"`));
        const events = parseStream(agent, { lines: renamed, exit: { code: 137, timedOut: false } });
        const isSeen = events.some(({ type }) => type === 'tool-started' || type === 'unknown');
        expect({ kind, isSeen }).toEqual({ kind, isSeen: true });
      }
    });

    test('tells of every tool call and its result', () => {
      const events = parseStream(agent, recorded(folder, 'shell'));
      expect(events.filter(({ type }) => type === 'tool-started')).toHaveLength(1);
      expect(events.find((event) => event.type === 'tool-finished')).toMatchObject({
        output: expect.stringMatching(/hi\n/),
      });
    });
  });
}
