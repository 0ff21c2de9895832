import { describe, expect, test } from 'vitest';
import { createEvaluator, parseWorkflow } from '../../src/definition/index.ts';
import { matchesPattern } from '../../src/model/patterns.ts';
import { searchPattern } from '../../src/views/index.ts';
import { mayWrite } from '../../src/workspaces/worktree/write-patterns.ts';
import { newProject } from '../cli/command-line.ts';

const parse = async (yaml: string) =>
  (await parseWorkflow(yaml, { file: 'w.yaml', read: () => '' })).workflow;

/** With an engine that tries every way to read the text, each of these takes longer than anybody lives. */
const catastrophic = ['(a+)+$', '^(a|a)*$', '(a|aa)+$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(.*a){25}b'];
const text = `${'a'.repeat(50_000)}!`;

describe('a pattern that never ends', () => {
  test.for(catastrophic)('ends in an expression: %s', async (pattern) => {
    const workflow = await parse(
      `name: w\ntasks: { a: { run: echo, if: "inputs.text.matches('${pattern}')" } }\ninputs: { text: { type: string } }\n`,
    );
    const { test: holds } = await createEvaluator(workflow, {});
    expect(
      holds(workflow.tasks[0]!.if!, { inputs: { text }, $status: { success: true, failure: false } }),
    ).toBe(false);
    // One that is known only when it is run.
    expect(holds('inputs.text.matches(inputs.pattern)', { inputs: { text, pattern } })).toBe(false);
    expect(
      holds('inputs.text // \n . matches /**/ (inputs.pattern)'.replace('/**/', ''), {
        inputs: { text, pattern },
      }),
    ).toBe(false);
  });

  test.for(catastrophic)('ends in retry and errors: %s', async (pattern) => {
    const workflow = await parse(
      `name: w\ntasks: { a: { run: echo, retry: { attempts: 2, on: ['/${pattern}/'] } } }\n`,
    );
    const { finds } = await createEvaluator(workflow, {});
    expect(finds(pattern, '', text)).toBe(false);
    expect(finds('^AAA', 'i', text)).toBe(true);
  });

  test.for(['**/**/**/**/**/**/x', 'src/**/test/**/*.ts', '*a*a*a*a*a*a*b', '{*,*}{*,*}{*,*}{*,*}b'])(
    'ends for the paths that an agent makes: %s',
    (pattern) => {
      const isAllowed = mayWrite([pattern], '', matchesPattern);
      const paths = [`src/${'test/'.repeat(1_500)}a.js`, 'a'.repeat(4_000)];
      expect(paths.map(isAllowed)).toEqual([false, false]);
    },
  );

  test('leaves the driver of a run awake', async () => {
    const { write, piton } = newProject();
    write(
      '.piton/workflows/w.yaml',
      `name: w
tasks:
  text: { run: 'printf "%0100d!" 0' }
  a: { needs: text, if: "tasks.text.output.matches('(0+)+$')", run: echo never }
  b: { run: 'printf "%0100d!" 0 >&2; exit 1', retry: { attempts: 2, on: ['/(0+)+$/'] } }
`,
    );
    expect((await piton(['run', 'w'])).code).toBe(1);
  });
});

describe('a pattern that never ends, of others than workflows', () => {
  test.for(catastrophic)('ends in `piton search --regex`: %s', async (pattern) => {
    expect((await searchPattern(pattern, true))(text).length).toBeLessThan(2);
  });

  test('ends in `writes`, whatever an agent calls its files', () => {
    const isAllowed = mayWrite([`${'*a'.repeat(30)}*b`], '', matchesPattern);
    expect(isAllowed('a'.repeat(250))).toBe(false);
    expect(isAllowed(`${'a'.repeat(250)}b`)).toBe(true);
  });
});

describe('what is no pattern', () => {
  test.for([
    ["if: inputs.text.matches('(')", 'missing closing )'],
    ["if: inputs.text.matches('(?=a)')", 'is no pattern'],
    ["if: inputs.text.matches('(a)\\\\1')", 'is no pattern'],
    ["retry: { attempts: 2, on: ['/(?<!a)b/'] }", 'looking around'],
    ["retry: { attempts: 2, not-on: ['/(a)\\1/'] }", 'referring back'],
  ])('is refused when the file is read: %s', async ([line, said]) => {
    const yaml = `name: w\ninputs: { text: { type: string } }\ntasks:\n  a:\n    run: echo\n    ${line}\n`;
    await expect(parse(yaml)).rejects.toMatchObject({
      code: 'DEFINITION_INVALID',
      details: { problems: [{ line: 6, message: expect.stringContaining(said!) }] },
    });
  });

  test('and is known only when it is run, fails the expression', async () => {
    const workflow = await parse("name: w\ntasks: { a: { run: echo, if: \"'x'.matches('x')\" } }\n");
    const { test: holds } = await createEvaluator(workflow, {});
    expect(() => holds("'x'.matches(inputs.p)", { inputs: { p: '(' } })).toThrow(/missing closing/);
    expect(() => holds("'x'.matches(inputs.p)", { inputs: { p: 'a'.repeat(20_000) } })).toThrow(
      /at most 10000/,
    );
  });
});
