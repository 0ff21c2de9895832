import { isPlainObject } from '../../base/index.ts';
import type { Path } from '../problems.ts';
import { shown, type Notes } from './notes.ts';
import type { ValueType } from './job-scope.ts';

type Entry = Readonly<Record<string, unknown>>;

/** What is known of values that only GitHub has, and a run that a person starts has in another way. */
const known: Readonly<Record<string, string>> = {
  github_event_name: 'workflow_dispatch',
  github_workspace: '.',
  github_sha: 'HEAD',
};

/** The inputs of a draft: those of the workflow, and those that stand for what GitHub would have known. */
export class Inputs {
  readonly types = new Map<string, ValueType>();
  readonly #entries = new Map<string, Entry>();
  readonly #notes: Notes;

  constructor(on: unknown, notes: Notes) {
    this.#notes = notes;
    for (const event of ['workflow_call', 'workflow_dispatch']) {
      const trigger = isPlainObject(on) ? on[event] : undefined;
      const inputs = isPlainObject(trigger) ? trigger['inputs'] : undefined;
      for (const [name, input] of Object.entries(isPlainObject(inputs) ? inputs : {}))
        this.#declare(name, isPlainObject(input) ? input : {}, ['on', event, 'inputs', name]);
    }
  }

  /** Named after its path, such as `github_event_name`. `at`: where it is read. */
  foreign(path: readonly string[], type: ValueType, at: Path): string {
    const name = path
      .filter((step) => step !== '*')
      .join('_')
      .replaceAll(/\W/g, '_');
    if (this.types.has(name)) return name;
    const said = shown(path.join('.'));
    const isKnown = Object.hasOwn(known, name);
    const shape =
      type === 'list' ? { schema: { type: 'array', items: { type: 'string' } } } : { type: 'string' };
    const value = isKnown ? known[name]! : type === 'list' ? [] : '';
    this.types.set(name, type);
    this.#entries.set(name, { ...shape, default: value, description: `On GitHub: ${said}.` });
    if (!isKnown)
      this.#notes.todo(at, `\`${said}\``, `It is an input, and empty unless you give it: \`-i ${name}=…\`.`);
    return name;
  }

  entries(): ReadonlyMap<string, Entry> {
    return this.#entries;
  }

  #declare(name: string, input: Entry, at: readonly string[]): void {
    if (!/^[A-Za-z_][\w-]*$/.test(name) || name === 'constructor')
      return this.#notes.todo(at, `the input \`${name}\``, 'An input cannot have this name: choose another.');
    const { type, shape } = shapeOf(input);
    this.types.set(name, type);
    const isRequired = input['required'] === true && input['default'] === undefined;
    const value = defaultOf(input, type);
    const description =
      typeof input['description'] === 'string' ? { description: shown(input['description']) } : {};
    this.#entries.set(name, { ...shape, ...(isRequired ? {} : { default: value }), ...description });
  }
}

function shapeOf({ type, options }: Entry): { type: ValueType; shape: Entry } {
  if (type === 'boolean') return { type: 'bool', shape: { type: 'boolean' } };
  if (type === 'number') return { type: 'number', shape: { type: 'number' } };
  if (Array.isArray(options) && options.length > 0)
    return { type: 'text', shape: { schema: { enum: options.map(String) } } };
  return { type: 'text', shape: { type: 'string' } };
}

function defaultOf({ default: given, options }: Entry, type: ValueType): unknown {
  if (type === 'bool') return String(given) === 'true';
  if (type === 'number') return Number(given ?? 0) || 0;
  const text = typeof given === 'object' ? '' : String(given ?? '');
  if (!Array.isArray(options) || options.length === 0) return text;
  const choices = options.map(String);
  return choices.includes(text) ? text : choices[0];
}
