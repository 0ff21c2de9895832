import { isPlainObject } from '../../src/base/index.ts';
import { readViews, type ViewText } from '../../scripts/read-views.ts';

const views = new Map(readViews().map((view) => [view.name, view]));

/** Fields of a printed view that its reference does not name, and those that it names and the view lacks. */
export function undocumented(name: string, value: unknown, more: readonly string[] = []): string[] {
  if (!isPlainObject(value)) return [`${name} is no object`];
  const fields = fieldsOf(views.get(name)!);
  const unknown = Object.keys(value).filter(
    (key) => !fields.some((field) => field.name === key) && !more.includes(key),
  );
  const missing = fields.filter((field) => !field.isOptional && !(field.name in value));
  return [
    ...unknown.map((key) => `${name}.${key} is not in the reference`),
    ...missing.map((field) => `${name}.${field.name} is missing`),
    ...fields.flatMap((field) => within(field.type, value[field.name])),
  ];
}

function fieldsOf(view: ViewText): ViewText['fields'] {
  const own = new Set(view.fields.map(({ name }) => name));
  const base = view.base === undefined ? [] : fieldsOf(views.get(view.base)!);
  return [...base.filter(({ name }) => !own.has(name)), ...view.fields];
}

function within(type: string, value: unknown): string[] {
  const name = [...views.keys()].find((view) => new RegExp(`\\b${view}\\b(?!\\[')`).test(type));
  if (name === undefined || value === undefined || views.get(name)!.union !== undefined) return [];
  // The fields of tasks and actions that only the command line adds.
  const more = { TaskView: ['lastOutputAt'], OfferedAction: ['command'] }[name] ?? [];
  const items = type.includes('Record<') || type.endsWith('[]') ? Object.values(value as object) : [value];
  return items.flatMap((item) => undocumented(name, item, more));
}

type Printed = Record<string, unknown>;

/** What `--json` of these commands prints. */
const prints: Readonly<Record<string, (printed: never, args: readonly string[]) => string[]>> = {
  status: (printed) => undocumented('RunView', printed, ['next']),
  show: (printed: Printed, args) =>
    args.filter((word) => !word.startsWith('-')).length > 2
      ? undocumentedDetail(printed)
      : undocumented('Checkpoint', printed, ['checkpoint']),
  list: (printed: unknown[]) => each('RunLine', printed),
  history: (printed, args) => (args.includes('--timeline') ? undocumented('Timeline', printed) : []),
  search: (printed: unknown[]) => each('SearchHit', printed),
  inbox: (printed: unknown[]) => each('InboxItem', printed),
  agents: (printed: unknown[]) => each('AgentView', printed),
  doctor: (printed: { checks: unknown[] }) => each('DoctorCheck', printed.checks),
  validate: (printed: { workflows: unknown[] }) => each('WorkflowReport', printed.workflows),
  resume: (printed, args) => (args.includes('--dry-run') ? undocumented('ResumePreview', printed) : []),
  graph: (printed) => undocumented('WorkflowGraph', printed),
  run: (printed: Printed, args) =>
    args.includes('--dry-run')
      ? undocumented('Plan', { ...printed, levels: (printed['levels'] as unknown[]).flat() })
      : [],
};

export function undocumentedIn(args: readonly string[], printed: unknown): string[] {
  return prints[args[0]!]?.(printed as never, args) ?? [];
}

function each(view: string, printed: readonly unknown[]): string[] {
  return printed.flatMap((item) => undocumented(view, item));
}

function undocumentedDetail({ attempts, checks, decisions, ...task }: Record<string, unknown>): string[] {
  return [
    ...undocumented('TaskView', { ...task, attempts: 0 }, ['run', 'seq', 'task']),
    ...(attempts as unknown[]).flatMap((attempt) => undocumented('AttemptView', attempt, ['spool'])),
    ...(checks as unknown[]).flatMap((check) => undocumented('CheckView', check)),
    ...(decisions as unknown[]).flatMap((decision) => undocumented('DecisionView', decision)),
  ];
}
