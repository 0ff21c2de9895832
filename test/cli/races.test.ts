import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject, type Project } from './command-line.ts';
import { lookOnly } from './stale-command.ts';

const flow = `name: flow
tasks:
  a:
    run: echo a >> ran; test -e mended
  b:
    needs: [a]
    run: echo b >> ran
`;

async function failedRun(): Promise<Project> {
  const project = newProject();
  project.write('.piton/workflows/flow.yaml', flow);
  expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(1);
  project.write('mended', '');
  return project;
}

const ran = ({ folder }: Project): string => readFileSync(join(folder, 'ran'), 'utf8').replaceAll('\n', '');

test('two retry', async () => {
  const project = await failedRun();
  const stale = await lookOnly(project, ['retry', 'r']);
  expect(await project.piton(['retry', 'r'])).toMatchObject({ code: 0 });
  expect(ran(project)).toBe('aab');
  const late = await stale.goOn();
  console.log(late);
  expect(ran(project)).toBe('aab');
});
