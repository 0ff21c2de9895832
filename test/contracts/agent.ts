/** The conformance suite of agents: every promise of `Agent`, for every adapter. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  withExecutable,
  type Agent,
  type AgentCommand,
  type AgentEvent,
  type AgentExit,
  type AgentRequest,
  type FailureKind,
  type Permissions,
} from '../../src/agents/index.ts';
import { propertyRuns } from '../support/property-runs.ts';

/** What a CLI wrote once, and how it ended. */
export interface RecordedStream {
  readonly title: string;
  readonly lines: readonly string[];
  readonly exit?: AgentExit;
  readonly stderr?: string;
  readonly outcome: 'result' | FailureKind;
}

export interface AgentBench {
  readonly streams: readonly RecordedStream[];
  /** Permissions it cannot be limited to, and refuses. */
  readonly refusedPermissions?: readonly Permissions[];
  /** A list in the CLI's own words; default: none is tried. */
  readonly listedPermissions?: readonly string[];
  /** Why it has no sessions, if so. */
  readonly noSessions?: string;
  /** Why a person cannot open a session of it, if so. */
  readonly notInteractive?: string;
  /** How it is told to go on in a copy of a session, as its arguments (a line each) or its files have it. */
  readonly fork?: (copy: SessionCopy) => string;
}

type SessionCopy = typeof fork;

export const startedAt = Date.parse('2026-11-15T08:00:00Z');
const context = { now: startedAt, timeZone: 'UTC', session: '0f4d4a60-0000-4000-8000-000000000001' };

export function requestOf(more: Partial<AgentRequest> = {}): AgentRequest {
  return {
    prompt: 'Count the PELICANS in the bay.',
    directory: '/project',
    session: { type: 'new' },
    permissions: 'full',
    allowedCommands: [],
    allowed: [],
    args: [],
    folder: '/spool/attempt',
    ...more,
  };
}

/** All events of a stream; those of the end are counted from `ended`. */
export function parseStream(
  agent: Agent,
  { lines, exit, stderr }: Pick<RecordedStream, 'lines' | 'exit' | 'stderr'>,
): AgentEvent[] {
  const parser = agent.parser(context);
  const told = lines.flatMap((line) => [...parser.line(line)]);
  return [...told, ...parser.end(exit ?? { code: 0, timedOut: false }, stderr ?? '')];
}

export function outcomesOf(events: readonly AgentEvent[]): readonly AgentEvent[] {
  return events.filter((event) => event.type === 'result' || event.type === 'failure');
}

export function agentContract(agent: Agent, bench: AgentBench): void {
  describe(`${agent.title}, as an agent,`, () => {
    commandContract(agent, bench);
    newSessionContract(agent);
    if (bench.noSessions === undefined) sessionContract(agent, bench);
    else noSessionContract(agent, bench.noSessions);
    if (agent.traits.sessions === 'fork') forkContract(agent, bench);
    else noForkContract(agent);
    permissionContract(agent, bench);
    if (agent.asks) askContract(agent, bench);
    for (const stream of bench.streams) streamContract(agent, stream, bench);
    noiseContract(agent, bench);
  });
}

function commandContract(agent: Agent, bench: AgentBench): void {
  const command = (more?: Partial<AgentRequest>): AgentCommand => agent.command(requestOf(more));

  test('is given the prompt by standard input, and nowhere else', () => {
    const { argv, env, files, input } = command();
    expect(input).toContain('PELICANS');
    expect(JSON.stringify([argv, env, Object.keys(files)])).not.toContain('PELICANS');
  });

  test('takes a prompt that is too long for an argument', () => {
    const prompt = 'x'.repeat(1_000_000);
    const { argv, env, input } = command({ prompt });
    expect(input).toContain(prompt);
    expect(JSON.stringify([argv, env]).length).toBeLessThan(10_000);
  });

  test('hands on further arguments as they are', () => {
    expect(command({ args: ['--strange', 'two words', ''] }).argv.join('\n')).toContain(
      '--strange\ntwo words\n',
    );
  });

  test('is started by its executable, or by another one', () => {
    const plain = command({ args: ['some-program'] });
    const other = withExecutable(agent, plain, '/opt/other');
    expect(['', plain.argv[0]]).toContain(agent.executable);
    expect(other.argv[0]).toBe('/opt/other');
    expect(other.argv.slice(1)).toEqual(agent.executable === '' ? plain.argv : plain.argv.slice(1));
  });

  test('gets the same command for the same request', () => {
    const request = requestOf({ outputSchema: { type: 'object' }, maxTurns: 3 });
    expect(agent.command(request)).toEqual(agent.command(request));
  });

  test('is told the shape of the output', () => {
    const outputSchema = { type: 'object', properties: { albatross: { type: 'string' } } };
    const { argv, files, input } = command({ outputSchema });
    expect(JSON.stringify([argv, files, input])).toContain('albatross');
  });

  test.each([
    ['model', { model: 'provider/heron-9' }, 'heron-9'],
    ['effort', { effort: 'strenuous' }, 'strenuous'],
    ['max-turns', { maxTurns: 7919 }, '7919'],
    ['budget', { budgetUsd: 31.07 }, '31.07'],
  ] as const)('is told the %s, or says that it has no means for it', (name, asked, shown) => {
    const { argv, env, files, unmet } = command(asked);
    const isTold = JSON.stringify([argv, env, files]).includes(shown);
    expect(isTold).toBe(!unmet.includes(name));
  });

  test('has nothing unmet when nothing was asked for', () => {
    expect(command().unmet).toEqual([]);
  });

  test('writes its files into the folder it was given, under plain names', () => {
    const { files } = command({ outputSchema: { type: 'object' }, allowedCommands: ['npm test'] });
    for (const name of Object.keys(files)) expect(name).toMatch(/^[\w.-]+$/);
  });

  test('knows the class of no tool it has never heard of', () => {
    for (const name of ['never_heard_of', 'mcp__server__deploy', 'constructor', '__proto__', '']) {
      expect(agent.toolClass(name, { command: 'x' })).toBe('unknown');
    }
  });

  test('gives a class for any input of any tool', () => {
    const names = new Set(bench.streams.flatMap((stream) => parseStream(agent, stream)).flatMap(toolName));
    for (const name of names) {
      for (const input of [null, 'text', [], {}, { command: 7 }]) {
        expect(agent.toolClass(name, input)).toSatisfy(
          (it) => typeof it === 'string' || typeof it === 'object',
        );
      }
    }
  });
}

function toolName(event: AgentEvent): readonly string[] {
  return event.type === 'tool-started' ? [event.name] : [];
}

const id = 'c9b0a1d2-0000-4000-8000-000000000002';

function shownFor(agent: Agent, session: AgentRequest['session']): string {
  const { argv, files } = agent.command(requestOf({ session }));
  return JSON.stringify([argv, files]);
}

function newSessionContract(agent: Agent): void {
  test('starts a new session without an id of ours', () => {
    expect(shownFor(agent, { type: 'new' })).not.toContain(id);
  });

  test(`${agent.choosesSession ? 'takes' : 'does not take'} the id of a new session from us`, () => {
    expect(shownFor(agent, { type: 'new', id }).includes(id)).toBe(agent.choosesSession);
  });
}

const unsupported = expect.objectContaining({ code: 'SESSION_UNSUPPORTED' }) as Error;

function noSessionContract(agent: Agent, reason: string): void {
  test(`refuses to go on in a session: ${reason}`, () => {
    expect(() => shownFor(agent, { type: 'continue', id })).toThrowError(unsupported);
    expect(agent.interactive(id)).toEqual([]);
  });
}

function sessionContract(agent: Agent, { notInteractive }: AgentBench): void {
  test('goes on in a session otherwise than it starts one', () => {
    const continued = shownFor(agent, { type: 'continue', id });
    expect(continued).toContain(id);
    expect(continued).not.toBe(shownFor(agent, { type: 'new', id }));
  });

  const opening = notInteractive === undefined ? 'can be' : `cannot be (${notInteractive})`;
  test(`${opening} opened by a person`, () => {
    expect(agent.interactive(id).includes(id)).toBe(notInteractive === undefined);
  });
}

const fork = { type: 'fork', of: id, id: 'c9b0a1d2-0000-4000-8000-000000000003' } as const;

/** Whoever goes on in the session itself instead of a copy writes into a conversation that belongs to another task. */
function forkContract(agent: Agent, bench: AgentBench): void {
  test('copies a session, in the words of its own CLI', () => {
    const { argv, files } = agent.command(requestOf({ session: fork }));
    expect([...argv, ...Object.values(files)].join('\n')).toContain(bench.fork?.(fork));
    expect(shownFor(agent, fork).includes(fork.id)).toBe(agent.choosesSession);
  });
}

function noForkContract(agent: Agent): void {
  test('refuses to copy a session', () => {
    expect(() => shownFor(agent, fork)).toThrowError(unsupported);
  });
}

function permissionContract(agent: Agent, bench: AgentBench): void {
  const refused = bench.refusedPermissions ?? [];
  const levels: readonly Permissions[] = ['read', 'edit', 'full'];
  const command = (permissions: Permissions): string => {
    const { argv, env, files } = agent.command(requestOf({ permissions, allowedCommands: ['make lint'] }));
    return JSON.stringify([argv, env, files]);
  };

  test('is limited differently by each policy, or refuses it', () => {
    const accepted = levels.filter((level) => !refused.includes(level));
    expect(new Set(accepted.map(command)).size).toBe(accepted.length);
    for (const level of refused) {
      expect(() => command(level)).toThrowError(expect.objectContaining({ code: 'PERMISSIONS_UNSUPPORTED' }));
    }
  });

  test('explains every policy in one line', () => {
    for (const level of levels) expect(agent.explainPermissions(level)).toMatch(/^\S.{10,}$/);
  });

  test('never starts in a mode that would wait for an answer', () => {
    for (const level of levels.filter((it) => !refused.includes(it))) {
      expect(command(level)).not.toMatch(/manual|"ask"|on-request|untrusted|smart_approve|"approve"/);
    }
  });

  const listed = bench.listedPermissions;
  if (listed === undefined) return;
  test('is limited by a list in its own words', () => {
    for (const word of listed)
      expect(command(listed)).toContain(JSON.stringify(word).slice(1, -1).split('(')[0]);
    expect(agent.explainPermissions(listed)).toMatch(/^\S.{10,}$/);
  });
}

function askContract(agent: Agent, { streams, refusedPermissions = [] }: AgentBench): void {
  const allowed = [{ tool: 'Shell', input: { command: 'touch ALBATROSS' } }];
  const permissions = (['edit', 'read', 'full'] as const).find(
    (level) => !refusedPermissions.includes(level),
  )!;
  const command = (more: Partial<AgentRequest>): AgentCommand =>
    agent.command(
      requestOf({ permissions, session: { type: 'continue', id }, args: ['some-program'], ...more }),
    );

  test('is told what a person has allowed, and that call alone', () => {
    const other = [{ tool: 'Shell', input: { command: 'touch PENGUIN' } }];
    const commands = [command({}), command({ allowed }), command({ allowed: other })];
    expect(new Set(commands.map((one) => JSON.stringify([one.argv, one.env, one.files]))).size).toBe(3);
  });

  test('has been seen to ask', () => {
    expect(streams.map(({ outcome }) => outcome)).toContain('asked');
  });
}

/** What holds for whatever a CLI wrote. */
export function streamContract(
  agent: Agent,
  stream: RecordedStream,
  bench: Pick<AgentBench, 'noSessions'> = {},
): void {
  describe(`when ${stream.title},`, () => {
    const events = parseStream(agent, stream);

    test(`ends once, in ${stream.outcome}`, () => {
      expect(outcomesOf(events).map(outcomeName)).toEqual([stream.outcome]);
    });

    test('asks for a call before it ends for that reason, and never otherwise', () => {
      const asked = events.findIndex(({ type }) => type === 'asked');
      const ended = events.findIndex(({ type }) => type === 'failure');
      expect(asked >= 0 && asked < ended).toBe(stream.outcome === 'asked');
    });

    test('names its session once, at the latest before it speaks', () => {
      const told = events.map(({ type }) => type);
      const needed = bench.noSessions === undefined && told.includes('message');
      expect(told.filter((type) => type === 'session')).toHaveLength(
        needed || told.includes('session') ? 1 : 0,
      );
      expect(told.indexOf('session')).toBeLessThanOrEqual(Math.max(0, told.indexOf('message')));
    });

    test('starts each tool call once, and ends it after its start', () => {
      const started = events.flatMap((event) => (event.type === 'tool-started' ? [event.id] : []));
      expect(new Set(started).size).toBe(started.length);
      const misplaced = events.filter(
        (event, place) =>
          event.type === 'tool-finished' &&
          !events
            .slice(0, place)
            .some((earlier) => earlier.type === 'tool-started' && earlier.id === event.id),
      );
      expect(misplaced).toEqual([]);
    });

    test('is read the same again', () => {
      expect(parseStream(agent, stream)).toEqual(events);
    });

    test('consists of nothing but JSON', () => {
      expect(JSON.parse(JSON.stringify(events))).toEqual(events);
    });

    test('is the same with byte order mark, carriage returns and empty lines', () => {
      const lines = stream.lines.flatMap((line, index) => [`${index === 0 ? '\uFEFF' : ''}${line}\r`, '']);
      const compared = bench.noSessions === undefined ? events : outcomesOf(events).map(outcomeName);
      const again = parseStream(agent, { ...stream, lines });
      expect(bench.noSessions === undefined ? again : outcomesOf(again).map(outcomeName)).toEqual(compared);
    });

    test('killed after any of its lines, has one outcome, and told the same until then', () => {
      for (let count = 0; count <= stream.lines.length; count += 1) {
        const lines = stream.lines.slice(0, count);
        const cut = parseStream(agent, { lines, exit: { code: 137, timedOut: false }, stderr: '' });
        expect(outcomesOf(cut)).toHaveLength(1);
        const parser = agent.parser(context);
        const told = lines.flatMap((line) => [...parser.line(line)]);
        expect(events.slice(0, told.length)).toEqual(told);
      }
    });
  });
}

function outcomeName(event: AgentEvent): string {
  return event.type === 'failure' ? event.kind : event.type;
}

/** Whatever is written, nothing is thrown, and there is one outcome. */
function noiseContract(agent: Agent, bench: AgentBench): void {
  const recorded = bench.streams.flatMap(({ lines }) => lines);
  const anyLine = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.constantFrom(...recorded, '{}', '[]', 'null', '{"type":"constructor"}', '{"event":"__proto__"}'),
    fc
      .tuple(fc.constantFrom(...recorded), fc.nat())
      .map(([line, at]) => line.slice(0, at % (line.length + 1))),
    fc
      .tuple(fc.constantFrom(...recorded), fc.nat(), fc.jsonValue())
      .map(([line, at, value]) => damaged(line, at, value)),
  );

  test('never throws and ends once, whatever is written', () => {
    fc.assert(
      fc.property(
        fc.array(anyLine),
        fc.integer(),
        fc.boolean(),
        fc.string(),
        (lines, code, timedOut, stderr) => {
          const events = parseStream(agent, { lines, exit: { code, timedOut }, stderr });
          expect(outcomesOf(events)).toHaveLength(1);
          JSON.stringify(events);
        },
      ),
      { numRuns: propertyRuns },
    );
  });

  test('survives a line of many megabytes and one nested very deeply', () => {
    const gigantic = JSON.stringify({ type: 'text', event: 'said', text: 'x'.repeat(8_000_000) });
    const deep = `{"type":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const events = parseStream(agent, { lines: [gigantic, deep, 'y'.repeat(8_000_000)] });
    expect(outcomesOf(events)).toHaveLength(1);
    const notices = events.filter(({ type }) => type === 'notice');
    expect(JSON.stringify(notices).length).toBeLessThan(10_000);
  });
}

/** The line with one of its values, anywhere inside, replaced by another. */
function damaged(line: string, at: number, value: fc.JsonValue): string {
  let count = 0;
  const total = JSON.stringify(readJson(line)).match(/[:[,{]/g)?.length ?? 1;
  return JSON.stringify(readJson(line), (_, inner: unknown) => (count++ === at % total ? value : inner));
}

function readJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return { line };
  }
}
