import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasCode, PitonError } from '../../../../base/index.ts';
import type { Stage } from '../stage.ts';
import { scriptOf, type AgentName } from './scripts.ts';

/** A repository with tests for two features that nobody has written yet. */
const files: Readonly<Record<string, string>> = {
  'notes.mjs': `export const notes = ['Buy Milk', 'Call "Ada"', 'Pay rent'];\n`,
  'test/search.mjs': `import { search } from '../search.mjs';

if (search('milk')[0] !== 'Buy Milk') {
  console.log('FAIL: search("milk") does not find "Buy Milk": capitals must not matter');
  process.exit(1);
}
console.log('search works');
`,
  'test/export.mjs': `import { toCsv } from '../export.mjs';

if (toCsv().split('\\n')[1] !== '"Call ""Ada"""') {
  console.log('FAIL: a quote inside of a note must be doubled');
  process.exit(1);
}
console.log('export works');
`,
  '.gitignore': '.piton/*\n!.piton/workflows\n',
};

/** Shown to the reader as it is. */
export const workflowLines: readonly string[] = [
  'name: features',
  'defaults: { agent: scripted, permissions: full, timeout: 1m }',
  'tasks:',
  '  plan:',
  '    prompt: Plan two features for the notes, search and export.',
  '    args: [--part, agents/plan.yaml]',
  '  search:',
  '    needs: plan',
  '    prompt: Write search.mjs.',
  '    args: [--part, agents/search.yaml]',
  '    check: { run: node test/search.mjs, revise: 2 }',
  '  export:',
  '    needs: plan',
  '    prompt: Write export.mjs.',
  '    args: [--part, agents/export.yaml]',
  '    check: { run: node test/export.mjs, revise: 2 }',
  '  document:',
  '    needs: [search, export]',
  '    prompt: Describe both features in CHANGES.md.',
  '    args: [--part, agents/document.yaml]',
];

export function makeRepository(stage: Stage): void {
  const workflow = { '.piton/workflows/features.yaml': `${workflowLines.join('\n')}\n` };
  const agents: readonly AgentName[] = ['plan', 'search', 'export', 'document'];
  const parts = agents.map((name) => [`agents/${name}.yaml`, scriptOf(name, stage)] as const);
  for (const [file, text] of Object.entries({ ...files, ...workflow, ...Object.fromEntries(parts) })) {
    const path = join(stage.project, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  git(stage, 'init', '--quiet', '--initial-branch=main', '--template=');
  git(stage, 'add', '--all');
  git(stage, 'commit', '--quiet', '--message=Notes, and tests for two features');
}

/** What git printed, line by line. */
export function git(stage: Stage, ...args: readonly string[]): string[] {
  try {
    const options = { cwd: stage.project, env: stage.env, encoding: 'utf8', stdio: 'pipe' } as const;
    return execFileSync('git', args, options).trimEnd().split('\n');
  } catch (error) {
    if (hasCode(error, 'ENOENT'))
      throw new PitonError(
        'GIT_MISSING',
        'This demo needs git, which is not installed. Without it: piton demo --commands',
      );
    throw error;
  }
}
