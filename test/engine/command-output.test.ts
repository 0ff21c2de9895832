import { describe, expect, test } from 'vitest';
import { outcomeOfExit, type Finished } from '../../src/engine/command-output.ts';
import { redactor } from '../../src/engine/redact.ts';
import type { Outcome } from '../../src/model/index.ts';
import { openSpool } from '../spool/open-spool.ts';
import { task } from '../support/workflows.ts';

/** What becomes of a command with this text. */
async function outcomeOf(
  text: string,
  more: Partial<Finished> = {},
  maxOutputBytes = 10_000,
): Promise<Outcome> {
  const { spool, begin } = openSpool();
  const { attempt, ended } = await begin(text);
  const ending = await ended();
  const exit = ending?.type === 'exited' ? ending.exit : { code: -1, timedOut: false };
  const finished: Finished = {
    attempt,
    spec: task('t'),
    exit,
    redact: redactor(['swordfish']),
    capture: 'text',
    ...more,
  };
  return outcomeOfExit(spool, finished, { maxOutputBytes, program: {} } as never);
}

describe('a command', () => {
  test('that ended with 0 after its time was over has not succeeded', async () => {
    expect(await outcomeOf('echo done', { exit: { code: 0, timedOut: true } })).toMatchObject({
      type: 'failed',
      failure: { code: 'TIMEOUT', message: 'it did not end in time: done', exit: 0 },
    });
  });

  test('that failed gives the last lines of both streams, the one written to last at the end, without secrets', async () => {
    const complaint =
      'echo out; sleep 0.1; for n in 1 2 3 4; do echo "line $n swordfish" >&2; done; echo >&2; exit 3';
    expect(await outcomeOf(complaint)).toMatchObject({
      failure: {
        code: 'COMMAND_FAILED',
        message: 'exit code 3: out\nline 2 ***\nline 3 ***\nline 4 ***',
        exit: 3,
      },
    });
    const found = 'echo "npm warn x" >&2; sleep 0.1; echo "FAIL login: expected 200"; exit 1';
    expect(await outcomeOf(found)).toMatchObject({
      failure: { message: 'exit code 1: npm warn x\nFAIL login: expected 200' },
    });
    expect(await outcomeOf('echo out; exit 1')).toMatchObject({ failure: { message: 'exit code 1: out' } });
    expect(await outcomeOf('kill -TERM $$')).toMatchObject({ failure: { message: 'ended by signal 15' } });
  });

  test('that failed with endless lines on both streams gives a reason of a few thousand characters', async () => {
    const endless = 'head -c 50000 /dev/zero | tr "\\0" x; head -c 50000 /dev/zero | tr "\\0" y >&2; exit 1';
    const outcome = await outcomeOf(endless);
    const message = outcome.type === 'failed' ? outcome.failure.message : '';
    expect(message).toMatch(/^exit code 1: x+\ny+$/);
    expect(message.length).toBeLessThan(4_100);
  });

  test('gives what it printed, as it was told', async () => {
    const text = 'echo first; echo; echo " last "; echo';
    expect(await outcomeOf(text)).toMatchObject({ output: 'first\n\n last \n' });
    expect(await outcomeOf(text, { capture: 'last-line' })).toMatchObject({ output: 'last' });
    expect(await outcomeOf(text, { capture: 'none' })).toMatchObject({ type: 'succeeded', output: null });
  });

  test('gives JSON without secrets, or is told what is wrong with it', async () => {
    const json = { capture: 'json' } as const;
    expect(await outcomeOf(`echo '{"swordfish":["swordfish",1]}'`, json)).toMatchObject({
      output: { '***': ['***', 1] },
    });
    expect(await outcomeOf('echo "{ swordfish"', json)).toMatchObject({
      failure: { code: 'OUTPUT_INVALID', message: expect.not.stringContaining('swordfish') },
    });
    expect(await outcomeOf(`echo '"${'x'.repeat(200)}"'`, json, 100)).toMatchObject({
      failure: { code: 'OUTPUT_TOO_LARGE' },
    });
  });

  test('gives what it wrote to $PITON_OUTPUT rather than what it printed', async () => {
    expect(await outcomeOf('echo printed; echo "[1,2]" >"$PITON_OUTPUT"')).toMatchObject({ output: [1, 2] });
  });

  test('that printed more than is kept gives the end of it, and says so', async () => {
    const outcome = await outcomeOf('head -c 70000 /dev/zero | tr "\\0" x; echo end', {}, 100_000);
    expect(outcome).toMatchObject({ output: expect.stringMatching(/^\[the end of 70004 bytes.*\]\nx+end$/) });
  });
});
