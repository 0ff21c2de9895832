import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeProblem } from '../../src/definition/problems.ts';
import { agentNames, knownAgents } from '../../src/model/index.ts';
import { parseProblems } from './support.ts';

const folder = `${import.meta.dirname}/fixtures/wrong`;
const read = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8');

/** Another test of this process may have registered an agent of its own. */
function expected(name: string): string {
  return read(`${name}.txt`).replaceAll(agentNames.join(', '), knownAgents().join(', '));
}

const files = {
  'child.yaml':
    'name: child\ninputs: { color: string }\ntasks: { t: { function: f, output: { n: integer } } }\n',
  'delivers.yaml': 'name: delivers\ndeliver: pr\ntasks: { t: { run: ls } }\n',
};

describe('everything that is wrong with a file is told at once, each with its place, the reason and what to do', () => {
  test.each(globSync(`${folder}/*.yaml`).map((path) => basename(path, '.yaml')))('%s', async (name) => {
    const problems = await parseProblems(read(`${name}.yaml`), files);
    expect(problems.map((problem) => `${describeProblem(problem)}\n`).join('')).toBe(expected(name));
  });
});
