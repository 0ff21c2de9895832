import { nearest, PitonError, shellWord } from '../../../base/index.ts';
import type { RunLine, RunsFilter, ShownStatus } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { Damages } from '../damages.ts';
import { collect } from '../collect.ts';
import { cleanLine, statusCell, whenText } from '../output/index.ts';
import { readNumber } from '../read-number.ts';
import { labelsText } from '../settings/about-lines.ts';
import { readLabels } from '../settings/read-about.ts';

interface Options {
  readonly status?: string;
  readonly workflow?: string;
  readonly group?: string;
  readonly label?: readonly string[];
  readonly name?: string;
  readonly limit: string;
}

const statuses = [
  'running',
  'delayed',
  'held',
  'paused',
  'stalled',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
  'behind',
] as const;

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .option('--status <names>', `only these, separated by commas: ${statuses.join(', ')}`)
      .option('--workflow <name>', 'only runs of this workflow')
      .option('--group <name>', 'only runs of this group')
      .option('--label <key=value>', 'only runs with this label; may be given several times', collect)
      .option('--name <text>', 'only runs whose name holds this text')
      .option('--limit <number>', 'at most so many, newest first', '20')
      .option('--json', 'print JSON'),
  examples: [
    ['piton list', 'the latest runs'],
    ['piton list --status failed,interrupted', 'those that need a look'],
    ['piton list --group releases --label team=web', 'those of a group that have a label'],
    ['piton list --workflow release --limit 3 --json', 'for programs'],
  ],
  async run(context, { options }) {
    const { output } = context;
    const filter = readFilter(options);
    const damages = new Damages();
    const piton = await context.openIfAny();
    const lines = (await piton?.runs({ ...filter, onDamaged: damages.add })) ?? [];
    output.json(lines);
    if (lines.length > 0) printLines(context, lines);
    else if (damages.found.length === 0) printNone(context, options);
    return damages.report(output);
  },
});

function printLines({ output, now }: Context, lines: readonly RunLine[]): void {
  const said = columns.filter(({ of }) => lines.some(({ about }) => of(about) !== ''));
  output.table(
    lines.map((line) => [
      line.run,
      cleanLine(line.workflow),
      statusCell(line.status, output.style),
      `${line.progress.done}/${line.progress.total}`,
      whenText(line.createdAt, now()),
      whenText(line.updatedAt, now()),
      ...said.map(({ of }) => of(line.about)),
    ]),
    {
      head: ['run', 'workflow', 'status', 'tasks', 'started', 'changed', ...said.map(({ head }) => head)],
      flexible: said.length === 0 ? 1 : 6,
    },
  );
  output.next(nextStep(lines));
}

/** Only where one of the runs has something in it. */
const columns: readonly { readonly head: string; of(about: RunLine['about']): string }[] = [
  { head: 'name', of: (about) => cleanLine(about?.name ?? '') },
  { head: 'group', of: (about) => cleanLine(about?.group ?? '') },
  { head: 'labels', of: labelsText },
  {
    head: 'fork of',
    of: (about) => (about?.fork === undefined ? '' : `${about.fork.run}@${about.fork.seq}`),
  },
];

function readFilter({ status, workflow, group, label, name, limit }: Options): RunsFilter {
  return {
    ...(group !== undefined && { group }),
    ...(label !== undefined && { labels: readLabels(label) }),
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status: readStatuses(status) }),
    ...(workflow !== undefined && { workflow }),
    limit: readNumber('--limit', limit, 1),
  };
}

function readStatuses(text: string): readonly ShownStatus[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(statuses as readonly string[]).includes(name));
  if (unknown === undefined) return names as ShownStatus[];
  const close = nearest(unknown, statuses);
  throw new PitonError('USAGE_INVALID', `There is no status ${unknown}.`, {
    remedy: close === undefined ? `Known are ${statuses.join(', ')}.` : `Did you mean ${close}?`,
  });
}

function printNone({ output }: Context, { limit: _, ...filter }: Options): void {
  const isFiltered = filtering.some((option) => filter[option] !== undefined);
  output.print(isFiltered ? 'No such runs.' : 'No runs yet.');
  if (isFiltered) output.next('piton list');
  else output.next('piton run <workflow>', 'piton init');
}

const filtering = ['status', 'workflow', 'group', 'label', 'name'] as const;

function nextStep(lines: readonly RunLine[]): string {
  const behind = lines.find(({ status }) => status === 'behind');
  if (behind !== undefined) return `piton verify ${shellWord(behind.run)}`;
  const interrupted = lines.find(({ status }) => status === 'interrupted');
  if (interrupted !== undefined) return `piton resume ${interrupted.run}`;
  const held = lines.find(({ status }) => status === 'held');
  if (held !== undefined) return 'piton inbox';
  return `piton status ${lines[0]!.run}`;
}
