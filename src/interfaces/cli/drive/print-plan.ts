import { shellWord, type JsonObject, plural } from '../../../base/index.ts';
import type { Definition } from '../../../library/index.ts';
import {
  textOf,
  type Plan,
  type PlannedCheck,
  type PlannedSetup,
  type PlannedTask,
} from '../../../project/index.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanLine, cleanText, type Output } from '../output/index.ts';
import { agentLines } from './agent-lines.ts';
import { placeLines, placeText } from './place-lines.ts';

/** `--dry-run`: what a run would do, in which order and within which limits. Writes nothing. */
export async function printPlan(
  context: Context,
  definition: Definition,
  inputs: JsonObject,
): Promise<ExitCode> {
  const { output } = context;
  const plan = await context.project.plan(definition, inputs);
  output.json(plan);
  printHead(output, plan);
  plan.levels.forEach((level, index) => {
    output.print(output.style.bold(plan.form === 'graph' ? 'Nodes' : `Step ${index + 1}`));
    for (const task of level) printTask(output, task);
  });
  output.next('the same command without --dry-run');
  return exitCodes.done;
}

function printHead(output: Output, plan: Plan): void {
  const { workflow, inputs, maxParallel, failFast, levels } = plan;
  const limit =
    maxParallel === undefined ? 'no limit on how many run at once' : `at most ${maxParallel} at once`;
  const fail = failFast ? 'the first failure stops the others' : 'a failure does not stop others';
  output.print(
    `${cleanLine(workflow)}: ${plural(levels.flat().length, 'task')}, ${limit}; ${fail}. Nothing is run.`,
  );
  if (plan.base !== undefined) output.print(`  worktrees begin from ${cleanLine(plan.base)}`);
  for (const bound of plan.bounds) output.print(`  ${bound}`);
  for (const [name, value] of Object.entries(inputs)) {
    output.print(`  ${cleanLine(name)} = ${cleanLine(textOf(value))}`);
  }
}

function printTask(output: Output, planned: PlannedTask): void {
  const { task, needs, work, values, secrets, rules, agent } = planned;
  const after = needs.length === 0 ? '' : output.style.dim(` after ${needs.join(', ')}`);
  output.print(`  ${output.style.cyan(cleanLine(task))}${after}`);
  for (const line of linesOfPlaces(planned)) output.print(`      ${cleanLine(line)}`);
  if (planned.setup !== undefined) printSetup(output, planned.setup);
  for (const line of agent === undefined ? [] : agentLines(agent)) output.print(`      ${cleanText(line)}`);
  const indent = ' '.repeat(agent === undefined ? 6 : 8);
  for (const line of cleanText(work).trimEnd().split('\n')) output.print(`${indent}${line}`);
  printValues(output, values);
  if (planned.check !== undefined) printCheck(output, planned.check);
  for (const name of secrets) output.print(`      ${cleanLine(name)}=(secret)`);
  output.print(`    ${output.style.dim(rules.map(cleanLine).join(' · '))}`);
}

function linesOfPlaces({ task, places }: PlannedTask): string[] {
  const [first] = places;
  if (first === undefined) return [];
  return first.task === task
    ? [`works in ${placeText(first)}`]
    : placeLines(places).map((line) => `works ${line}`);
}

function printSetup(output: Output, setup: PlannedSetup): void {
  const { work, values } = setup;
  output.print(`      set up first${fillingText(setup)}${work === undefined ? '' : ':'}`);
  if (work === undefined) return;
  for (const line of cleanText(work).trimEnd().split('\n')) output.print(`        ${line}`);
  printValues(output, values);
}

function fillingText({ copy, caches = [], ports }: PlannedSetup): string {
  const parts = [
    ...(copy.length === 0 ? [] : [`a copy of ${copy.map(cleanLine).join(', ')}`]),
    ...(caches.length === 0 ? [] : [`the shared ${caches.map(cleanLine).join(', ')}`]),
    ...(ports === undefined ? [] : [plural(ports, 'free port')]),
  ];
  return parts.length === 0 ? '' : `, with ${parts.join(' and ')}`;
}

function printCheck(output: Output, { work, values, revise }: PlannedCheck): void {
  const often =
    revise === 0 ? 'it is not revised' : `revised at most ${revise === 1 ? 'once' : `${revise} times`}`;
  output.print(`      check, ${often} if that fails:`);
  for (const line of cleanText(work).trimEnd().split('\n')) output.print(`        ${line}`);
  printValues(output, values);
}

function printValues(output: Output, values: PlannedTask['values']): void {
  for (const [name, value] of Object.entries(values)) {
    output.print(`      ${cleanLine(name)}=${shellWord(cleanLine(textOf(value)))}`);
  }
}
