import { shellWord, plural } from '../../../base/index.ts';
import { basename, dirname, extname, relative } from 'node:path';
import type { PreflightFinding, Problem, WorkflowReport } from '../../../project/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { placeLines } from '../drive/place-lines.ts';
import { findingText, problemText } from '../drive/problem-text.ts';
import { cleanLine, cleanText, type Style } from '../output/index.ts';

interface Options {
  readonly preflight?: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('[workflow...]', 'names or paths; default: all workflows of the project')
      .option('--preflight', 'also look for what a run of it would lack here')
      .option('--json', 'print JSON'),
  examples: [
    ['piton validate', 'all workflows of the project'],
    ['piton validate release ci/nightly.yaml', 'these'],
    ['piton validate release --preflight', 'and whether all that it needs is here'],
    ['piton validate --json', 'for programs'],
  ],
  async run(context, { args, options }) {
    const { output, config, project } = context;
    const files =
      args.length === 0
        ? project.workflows().map(({ file }) => file)
        : args.map((given) => project.findWorkflow(given));
    const findings: WorkflowReport[] = [];
    for (const file of files) findings.push(await project.check(file, options));
    const isOk = findings.every((found) => found.ok && canBegin(found));
    output.json({ ok: isOk, workflows: findings });
    if (!output.isJson) for (const found of findings) printFindings(context, found);
    if (files.length === 0) output.print(`There are no workflows in ${config.workflows}.`);
    output.next(nextStep(context, findings));
    return isOk ? exitCodes.done : exitCodes.usage;
  },
});

function nextStep(context: Context, findings: readonly WorkflowReport[]): string {
  const bad = findings.find(({ ok }) => !ok);
  if (bad !== undefined) return `mend it, then piton validate ${wordFor(context, bad.file)}`;
  const lacking = findings.find((found) => !canBegin(found));
  if (lacking !== undefined)
    return `put it right, then piton validate ${wordFor(context, lacking.file)} --preflight`;
  const [first] = findings;
  if (first === undefined) return 'piton init';
  const ready = findings.find(({ runs }) => runs);
  return ready === undefined
    ? `piton graph ${wordFor(context, first.file)}`
    : `piton run ${wordFor(context, ready.file)}`;
}

/** By its name where that leads to it, else by its path. */
function wordFor({ config, directory }: Context, file: string): string {
  if (dirname(file) === config.workflows) return shellWord(basename(file, extname(file)));
  const path = relative(directory, file);
  return shellWord(path.startsWith('..') ? path : `./${path}`);
}

function printFindings({ output, directory }: Context, found: WorkflowReport): void {
  const { style } = output;
  const file = cleanLine(relative(directory, found.file));
  const name = style.bold(cleanLine(found.name));
  const line = (problem: Problem): string => cleanText(problemText(problem, directory));
  if (!found.ok) {
    output.print(`${style.red('✗')} ${name}  ${file}`);
    for (const problem of found.problems) output.print(`    ${line(problem)}`);
    return;
  }
  output.print(`${style.green('✓')} ${name}  ${file}  ${style.dim(sizeText(found))}`);
  for (const where of placeLines(found.places)) output.print(`    works ${cleanLine(where)}`);
  for (const bound of found.bounds) output.print(`    ${bound}`);
  for (const problem of found.suggestions)
    output.print(`    ${style.yellow('could be better:')} ${line(problem)}`);
  for (const finding of found.preflight ?? []) output.print(`    ${lackLine(finding, style, directory)}`);
  for (const { task, reason, onInterrupt } of found.irreversible) {
    output.print(
      `    ${style.yellow('cannot be taken back:')} ${task}: ${reason}; ${whenInterrupted[onInterrupt]}`,
    );
  }
}

function lackLine(finding: PreflightFinding, style: Style, directory: string): string {
  const word = finding.level === 'error' ? style.red('missing:') : style.yellow('may be missing:');
  return `${word} ${findingText(finding, directory)}`;
}

/** As far as that was looked at. */
function canBegin({ preflight = [] }: WorkflowReport): boolean {
  return preflight.every(({ level }) => level !== 'error');
}

function sizeText({ tasks, attempts, agentTurns, repeats }: WorkflowReport): string {
  const bounds = [
    ...(attempts === tasks ? [] : [`at most ${plural(attempts, 'attempt')}`]),
    ...(agentTurns === 0 ? [] : [`at most ${plural(agentTurns, 'turn')} of agents`]),
  ];
  const each = repeats && bounds.length > 0 ? ['for each item or visit'] : [];
  return [plural(tasks, 'task'), ...bounds, ...each].join(', ');
}

const whenInterrupted = {
  ask: 'interrupted, it is held for a person (on-interrupt: ask)',
  restart: 'interrupted, it is started again (on-interrupt: restart)',
  continue: 'interrupted, it is continued (on-interrupt: continue)',
} as const;
