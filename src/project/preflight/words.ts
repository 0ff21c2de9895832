/** Words of shells that begin no program, or stand before one. */
const leading = /^(if|then|else|elif|while|until|do|!|\{|time|exec|nohup|command|builtin)$/;
const structural = /^(for|select|function|fi|done|esac|\}|in|\[\[|coproc)$/;
const builtins: ReadonlySet<string> = new Set(
  `. : [ alias autoload bg bind break builtin caller cd chdir command compgen complete compopt continue declare dirs disown echo
  emulate enable eval exec exit export false fc fg float functions getopts hash help history integer jobs kill let local logout
  mapfile noglob popd print printf pushd pwd read readarray readonly rehash return set setopt shift shopt source suspend test
  time times trap true type typeset ulimit umask unalias unset unsetopt wait whence where which zmodload`.split(
    /\s+/,
  ),
);

/** The commands of a shell's text that start a program, each from that program on. What may be a function or an alias is left out. */
export function programsIn(commands: readonly (readonly string[])[], text: string): (readonly string[])[] {
  // Whatever is read in may define functions.
  if (/(^|[\s;&|(])(\.|source|eval|alias)\s/m.test(text)) return [];
  const defined = new Set(
    [...text.matchAll(/([\w-]+)\s*\(\s*\)|\bfunction\s+([\w-]+)/g)].map(([, a, b]) => a ?? b),
  );
  const asked = new Set(
    [...text.matchAll(/\b(?:command -[vV]|which|type|hash)\s+(?:-\w+\s+)*([\w.-]+)/g)].map(
      ([, name]) => name,
    ),
  );
  return commands.flatMap((words) => {
    const own = withoutLead(words);
    const [name = ''] = own;
    const isProgram = name !== '' && !structural.test(name) && !builtins.has(name);
    return isProgram && !defined.has(name) && !asked.has(name) ? [own] : [];
  });
}

/** Without keywords and assignments before it. With a PATH of its own it is not known what would be found. */
function withoutLead(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !leading.test(word) && !/^\w+\+?=/.test(word));
  if (first < 0 || words.slice(0, first).some((word) => /^PATH\+?=/.test(word))) return [];
  // `command -v` and the like only ask.
  return words[first]!.startsWith('-') ? [] : words.slice(first);
}

/** A script of package.json, or a file that an interpreter is given. */
export type ScriptName = { readonly name: string } | { readonly file: string };

const interpreters = /^(sh|bash|dash|zsh|ksh|node|python3?|ruby|perl|tsx|bun|php)$/;

/** The script that a command runs, where it is named in so many words. */
export function scriptIn([program = '', ...args]: readonly string[]): ScriptName | undefined {
  if (interpreters.test(program)) return fileIn(args);
  return /^(npm|pnpm|yarn)$/.test(program) && !args.includes('--if-present')
    ? packageScriptIn(program, args)
    : undefined;
}

function fileIn([first = '']: readonly string[]): ScriptName | undefined {
  return /^\w[\w./-]*\.\w+$|^\.\.?\/[\w./-]+$/.test(first) ? { file: first } : undefined;
}

/** Options before its name may lead to another folder. */
function packageScriptIn(
  program: string,
  [first = '', second = '']: readonly string[],
): ScriptName | undefined {
  if (program === 'npm' && /^(test|t|tst)$/.test(first)) return { name: 'test' };
  return /^run(-script)?$/.test(first) && /^\w[\w:.-]*$/.test(second) ? { name: second } : undefined;
}
