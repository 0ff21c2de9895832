/** Writes the part of docs/reference/json.md that follows from the views. With `--check` it only compares, and fails if it is outdated. */
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { readViews, type FieldText, type ViewText } from './read-views.ts';

const file = new URL('../docs/reference/json.md', import.meta.url);
const begin = '<!-- written by scripts/write-json-reference.ts: begin -->';
const end = '<!-- end -->';

/** In the order in which they are shown. What is not named here is not printed. */
const shown = [
  'RunView',
  'Checkpoint',
  'TaskView',
  'WorkspaceView',
  'RunLine',
  'InboxItem',
  'OfferedAction',
  'QueuedDecision',
  'AttemptView',
  'CheckView',
  'DecisionView',
  'Timeline',
  'DriveView',
  'LeftAttempt',
  'DayUsage',
  'ConversationView',
  'SaidTurn',
  'Turn',
  'SearchHit',
  'Usage',
  'Progress',
  'DriverView',
  'ProblemView',
  'RunAbout',
  'RunLimits',
  'LimitSet',
  'LimitName',
  'Delivered',
  'OpenBreaker',
  'ResumePreview',
  'TaskPreview',
  'DriftReport',
  'MigrationPreview',
  'MigratedValue',
  'DriftView',
  'Drift',
  'ChangedField',
  'DriftVerdict',
  'WorkflowReport',
  'Problem',
  'Risk',
  'WorkflowGraph',
  'GraphNode',
  'GraphEdge',
  'Plan',
  'PlannedTask',
  'PlannedAgent',
  'PlannedChoice',
  'PlannedCheck',
  'PlannedSetup',
  'PlannedPlace',
  'AgentView',
  'DoctorCheck',
  'RunStatus',
  'ShownStatus',
  'TaskStatus',
  'Failure',
  'Sender',
];

const stored = readFileSync(file, 'utf8');
const [before, rest] = stored.split(begin);
const [, after] = rest!.split(end);
const whole = [before, begin, '\n\n', viewsText(), '\n\n', end, after].join('');
const text = await format(whole, { ...(await resolveConfig(file)), parser: 'markdown' });

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (stored !== text) {
  console.error('docs/reference/json.md is outdated. Write it anew: node scripts/write-json-reference.ts');
  process.exit(1);
}

function viewsText(): string {
  const views = new Map(readViews().map((view) => [view.name, view]));
  return shown.map((name) => viewText(views.get(name)!)).join('\n\n');
}

function viewText({ name, about, base, fields, union }: ViewText): string {
  if (union !== undefined) return [`### ${name}`, about, `\`${union}\``].join('\n\n');
  const more = base === undefined ? '' : ` Has all fields of [${base}](#${base.toLowerCase()}), and:`;
  const rows = fields.map(rowOf);
  return [
    `### ${name}`,
    `${about}${more}`,
    ['| field | type | what it is |', '| --- | --- | --- |', ...rows].join('\n'),
  ].join('\n\n');
}

function rowOf({ name, isOptional, type, about }: FieldText): string {
  return `| \`${name}\`${isOptional ? '?' : ''} | ${typeText(type)} | ${cell(about)} |`;
}

/** Views are linked; all else is as TypeScript has it. */
function typeText(type: string): string {
  if (type === 'Waiting') return '[`Waiting`](#why-a-task-waits)';
  const linked = shown.find((name) => new RegExp(`\\b${name}\\b`).test(type));
  return linked === undefined ? `\`${cell(type)}\`` : `[\`${cell(type)}\`](#${linked.toLowerCase()})`;
}

function cell(value: string): string {
  return value.replaceAll('|', '\\|');
}
