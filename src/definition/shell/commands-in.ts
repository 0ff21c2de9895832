import { scanShell } from './scan-shell.ts';

/** The simple commands of a shell's text, each as its words, without those of substitutions. */
export interface ShellCommands {
  readonly commands: readonly (readonly string[])[];
  /** The text is one simple command and nothing else: it is executed for certain, and its failure is that of the text. */
  readonly isSimple: boolean;
}

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh']);

/** Undefined where the text cannot be read with certainty. */
export function commandsIn(text: string, shell: string): ShellCommands | undefined {
  const name = shell.slice(shell.lastIndexOf('/') + 1);
  // Its patterns look like commands.
  if (!shells.has(name) || /(^|[\s;&|(])case\s/.test(text)) return undefined;
  const { commands, isCertain } = scanShell(text.trim(), name);
  if (!isCertain) return undefined;
  const own = commands.filter(({ words, inTest }) => words.length > 0 && !inTest);
  return { commands: own.map(({ words }) => words), isSimple: commands.length === 1 && own.length === 1 };
}
