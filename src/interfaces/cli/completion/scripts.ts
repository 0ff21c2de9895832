import { choicesOf, type CompletedCommand } from './tree.ts';

type Script = (commands: readonly CompletedCommand[]) => string;

/**
 * Runs, workflows and tasks are asked of Piton itself; a file may stand wherever a workflow may. Names come from files of
 * repositories, and `compgen -W` would expand what is in them: nothing here is ever expanded, and a name with anything
 * in it that means something to a shell is no candidate.
 */
const bash: Script = (commands) => `# bash completion of piton: source <(piton completion bash)
_piton() {
  local word=\${COMP_WORDS[COMP_CWORD]} command= place=0 index
  local -a given=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case \${COMP_WORDS[index]} in
      -C | --root | --store) index=$((index + 1)) ;;
      -*) ;;
      *) if [[ -z $command ]]; then command=\${COMP_WORDS[index]}
         else given+=("\${COMP_WORDS[index]}"); place=$((place + 1)); fi ;;
    esac
  done
  local words=
  if [[ -z $command ]]; then words=$'${commands.map(({ name }) => name).join('\\n')}'
  else case $command:$word in
${commands.map(bashOptions).join('\n')}
  esac
  [[ $word == -* ]] || case $command:$place in
${commands.flatMap(bashArguments).join('\n')}
  esac; fi
  local name
  COMPREPLY=()
  while IFS= read -r name; do
    [[ -n $name && $name == "$word"* && $name != *[!A-Za-z0-9_.-]* ]] && COMPREPLY+=("$name")
  done <<< "$words"
}
complete -o default -F _piton piton
`;

function bashOptions({ name, options }: CompletedCommand): string {
  return `    ${name}:-*) words=$'${options.map(({ flag }) => flag).join('\\n')}' ;;`;
}

function bashArguments({ name, arguments: given }: CompletedCommand): string[] {
  return given.map((argument, place) => {
    const words = choicesOf(argument)?.replaceAll(' ', String.raw`\n`);
    const source = words === undefined ? asked(argument, `"\${given[${placeOfRun(given)}]}"`) : `$'${words}'`;
    return `    ${name}:${place}) words=${source} ;;`;
  });
}

/** Where the run stands whose tasks may follow. */
function placeOfRun(given: readonly string[]): number {
  return Math.max(given.indexOf('run'), 0);
}

function asked(argument: string, run: string): string {
  return `$(piton __complete ${argument} ${run} 2>/dev/null)`;
}

const zsh: Script = (commands) => `#compdef piton
# zsh completion of piton: piton completion zsh > "\${fpath[1]}/_piton"
_piton() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case $words[2] in
${commands.map(zshCommand).join('\n')}
  esac
}
_piton_names() {
  local -a names
  names=(\${(f)"$(piton __complete "$1" "$words[$2]" 2>/dev/null)"})
  names=(\${names:#*[^A-Za-z0-9_.-]*})
  compadd -a names
  [[ $1 == workflow ]] && _files
}
compdef _piton piton
`;

function zshCommand({ name, options, arguments: given }: CompletedCommand): string {
  const specs = [
    ...options.map(({ flag, summary }) => quoted(`${flag}[${summary.replace(/[[\]:]/g, ' ')}]`)),
    ...given.map((argument, place) => {
      const words = choicesOf(argument);
      const action =
        words === undefined ? `{_piton_names ${argument} ${placeOfRun(given) + 3}}` : `(${words})`;
      return quoted(`${place + 2}:${argument}:${action}`);
    }),
  ];
  return `    ${name}) _arguments ${specs.join(' ')} ;;`;
}

const fish: Script = (
  commands,
) => `# fish completion of piton: piton completion fish > ~/.config/fish/completions/piton.fish
function __piton_run
  set -l words (commandline -opc)
  test (count $words) -ge $argv[1]; and echo $words[$argv[1]]
end
function __piton_names
  piton __complete $argv[1] (__piton_run $argv[2]) 2>/dev/null | string match -r '^[A-Za-z0-9_.-]+$'
end
complete -c piton -f
${commands.map(({ name, summary }) => `complete -c piton -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`).join('\n')}
${commands.flatMap(fishCommand).join('\n')}
`;

function fishCommand({ name, options, arguments: given }: CompletedCommand): string[] {
  const after = `complete -c piton -n '__fish_seen_subcommand_from ${name}'`;
  return [
    ...options.map(({ flag, summary }) => `${after} -l ${flag.slice(2)} -d ${quoted(summary)}`),
    ...given.map((argument) => {
      const words = choicesOf(argument) ?? `(__piton_names ${argument} ${placeOfRun(given) + 3})`;
      return `${after} -a ${quoted(words)}`;
    }),
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export const completionScripts: Readonly<Record<string, Script>> = { bash, zsh, fish };
