import { commandsIn } from '../../definition/index.ts';
import type { CommandWork, TaskSpec } from '../../model/index.ts';

/** What a task lacks: a program that is found by its name, or a file of the repository. */
export type Wanted = { readonly program: string } | 'file';

/** Whether a task may bring what a later one lacks. Where nobody can tell, it may. */
export function mayBring(spec: TaskSpec, wanted: Wanted): boolean {
  const { work, setup, check } = spec;
  const commands = [setup?.work, check?.work].filter((one) => one !== undefined);
  if (commands.some((one) => commandMayBring(one, wanted))) return true;
  switch (work.type) {
    case 'command':
      return commandMayBring(work, wanted);
    case 'agent':
      if (wanted === 'file') return work.permissions !== 'read';
      // One that may only read and edit installs nothing.
      return !['read', 'edit'].includes(String(work.permissions)) && mayInstall(work.prompt, wanted.program);
    case 'workflow':
      return work.workflow.tasks.some((inner) => mayBring(inner, wanted));
    case 'function':
      return true;
    default:
      return false;
  }
}

const installers =
  /\b(install\w*|bootstrap|setup|provision|prepare|deps|dependencies|tools?|toolchain|sudo|brew|apt|apt-get|apk|dnf|yum|pacman|pip3?|pipx|uv|conda|mamba|mise|asdf|nix|rustup|corepack|curl|wget|ln|cp|mv)\b/i;
/** What these bring stays in the folder of the project. */
const localInstalls =
  /\b(npm (ci|i|install)|(pnpm|yarn|bun) (i|install)|bundle install|composer install|uv sync|pip3? install -r)\b(?![^\n;&|]*\s(-g|--global)\b)/g;

function mayInstall(text: string, program: string): boolean {
  return text.includes(program) || installers.test(text.replace(localInstalls, ''));
}

/** A script may do anything. */
const runsScript = /(^|[\s;&|(])(\.{0,2}\/[\w./-]+|(sh|bash|zsh|source|\.)\s+[\w./-]+)/m;

function commandMayBring({ run, shell }: CommandWork, wanted: Wanted): boolean {
  const text = typeof run === 'string' ? run : run.join(' ');
  if (wanted === 'file') return mayWrite(run, shell);
  return runsScript.test(text) || mayInstall(text, wanted.program);
}

const printing =
  /^(:|\[|test|true|false|echo|printf|cat|head|tail|wc|ls|grep|rg|diff|cmp|date|pwd|cd|sleep|exit|set|export|which|command)$/;

/** Anything but what is known to print alone. */
function mayWrite(run: CommandWork['run'], shell: string): boolean {
  if (typeof run !== 'string') return !printing.test(run[0] ?? '');
  const read = /[>`]|\$\(/.test(run) ? undefined : commandsIn(run, shell);
  return read === undefined || !read.commands.every(([first = '']) => printing.test(first));
}
