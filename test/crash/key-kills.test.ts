import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject } from '../cli/command-line.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test.each(['key:after-draft', 'key:after-made'])(
  'killed at %s, while the key of secrets is made: the next makes it, or has it, and nothing is shown',
  async (point) => {
    const project = newProject();
    const env = { TOKEN: 'hunter2-hunter2', XDG_STATE_HOME: temporaryFolder() };
    project.write(
      '.piton/workflows/flow.yaml',
      'name: flow\ntasks: { task: { run: "echo $TOKEN; echo x >> ran", secrets: TOKEN } }\n',
    );
    const killed = await project.binary(['run', 'flow', '--id', 'r'], {
      env: { ...env, PITON_CRASH_AT: point },
    });
    expect(killed.code).not.toBe(0);
    const resumed = await project.binary(['resume', 'r'], { env });
    expect(resumed).toMatchObject({ code: 0 });
    const { XDG_STATE_HOME } = env;
    const { stdout } = await project.binary(['logs', 'r', 'task'], { env: { XDG_STATE_HOME } });
    expect(stdout).toBe('***\n');
    expect(readdirSync(join(XDG_STATE_HOME, 'piton', 'keys'))).toContain('redaction');
  },
);
