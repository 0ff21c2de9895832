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
  const missing = fields.filter(
    (field) => !field.isOptional && !(field.name in value) && field.type !== 'State',
  );
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

/** What `--json` of these commands prints. */
export function undocumentedIn(args: readonly string[], printed: unknown): string[] {
  const [command, ...words] = args;
  const named = words.filter((word) => !word.startsWith('-'));
  switch (command) {
    case 'status':
      return undocumented('RunView', printed, ['next']);
    case 'show':
      return named.length > 1
        ? undocumentedDetail(printed as Record<string, unknown>)
        : undocumented('Checkpoint', printed, ['checkpoint']);
    case 'list':
      return (printed as unknown[]).flatMap((line) => undocumented('RunLine', line));
    case 'search':
      return (printed as unknown[]).flatMap((hit) => undocumented('SearchHit', hit));
    case 'inbox':
      return (printed as unknown[]).flatMap((item) => undocumented('InboxItem', item));
    default:
      return [];
  }
}

function undocumentedDetail({ attempts, checks, decisions, ...task }: Record<string, unknown>): string[] {
  return [
    ...undocumented('TaskView', { ...task, attempts: 0 }, ['run', 'seq', 'task']),
    ...(attempts as unknown[]).flatMap((attempt) => undocumented('AttemptView', attempt, ['spool'])),
    ...(checks as unknown[]).flatMap((check) => undocumented('CheckView', check)),
    ...(decisions as unknown[]).flatMap((decision) => undocumented('DecisionView', decision)),
  ];
}
