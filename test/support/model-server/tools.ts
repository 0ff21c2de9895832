/** The CLIs name the same tools differently; the request tells which of them there are. */
import type { Answer, Json, Tool } from './conversation.ts';
import type { Called } from './script.ts';

type Input = (one: { readonly name: string; readonly value: string }) => Json;

const shell: Readonly<Record<string, Input>> = {
  Bash: ({ value }) => ({ command: value, description: 'as told' }),
  bash: ({ value }) => ({ command: value, description: 'as told' }),
  exec_command: ({ value }) => ({ cmd: value }),
  shell_command: ({ value }) => ({ command: value }),
  shell: ({ value }) => ({ command: ['bash', '-lc', value] }),
  run_shell_command: ({ value }) => ({ command: value, description: 'as told' }),
};

const edit: Readonly<Record<string, Input>> = {
  Write: ({ name, value }) => ({ file_path: name, content: value }),
  write: ({ name, value }) => ({ filePath: name, content: value }),
  write_file: ({ name, value }) => ({ file_path: name, content: value }),
  apply_patch: ({ name, value }) => patch(name, value),
};

const read: Readonly<Record<string, Input>> = {
  Read: ({ value }) => ({ file_path: value }),
  read: ({ value }) => ({ filePath: value }),
  read_file: ({ value }) => ({ file_path: value }),
  exec_command: ({ value }) => ({ cmd: `cat ${value}` }),
  shell_command: ({ value }) => ({ command: `cat ${value}` }),
};

const kinds: Readonly<Record<string, Readonly<Record<string, Input>>>> = { shell, edit, read };

function patch(name: string, value: string): string {
  const lines = value.split('\n').map((line) => `+${line}`);
  return ['*** Begin Patch', `*** Add File: ${name}`, ...lines, '*** End Patch', ''].join('\n');
}

type Call = NonNullable<Answer['call']>;

/** Undefined when the CLI did not offer such a tool: a model that is not offered a tool cannot call it. */
export function callFor(step: Called, tools: readonly Tool[], id: string): Call | undefined {
  if (step.type === 'tool') return { id, name: step.name, input: JSON.parse(step.value) as Json };
  const known = kinds[step.type] ?? {};
  const tool = tools.find((one) => one.name in known);
  if (tool === undefined) return 'name' in step ? patchByShell(step, tools, id) : undefined;
  const input = known[tool.name]!({ name: '', ...step });
  return { id, name: tool.name, input: tool.isFreeform || typeof input !== 'string' ? input : { input } };
}

/** Codex takes a patch as a shell command where its model has no tool of that name. */
function patchByShell(
  step: { name: string; value: string },
  tools: readonly Tool[],
  id: string,
): Call | undefined {
  const command = `apply_patch <<'PATCH'\n${patch(step.name, step.value)}PATCH`;
  const known = new Set(['exec_command', 'shell_command']);
  return tools.some((one) => known.has(one.name))
    ? callFor({ type: 'shell', value: command }, tools, id)
    : undefined;
}
