import { isFunctionRef } from '../../model/index.ts';
import type { Finding, Path } from '../problems.ts';
import type { CommandDraft } from '../workflow-draft.ts';

type Environment = Pick<CommandDraft, 'env' | 'secrets' | 'inheritEnv'>;

const variable = /^[A-Za-z_]\w*$/;

/** Of a command or an agent. */
export function checkEnvironment({ env = {}, secrets = [], inheritEnv }: Environment, at: Path): Finding[] {
  return [
    ...checkInherited(inheritEnv, [...at, 'inherit-env']),
    ...Object.keys(env).flatMap((name) => checkVariable(name, [...at, 'env', name])),
    ...Object.entries(env)
      .filter(([, value]) => isFunctionRef(value))
      .map(([name]) => ({ at: [...at, 'env', name], message: 'A variable cannot be a function.' })),
    ...secrets.flatMap((name, index) => checkVariable(name, [...at, 'secrets', index])),
    ...secrets
      .filter((name) => Object.hasOwn(env, name))
      .map((name) => ({
        at: [...at, 'env', name],
        onKey: true,
        message: `\`${name}\` is a secret, but its value would be written down here.`,
        remedy: 'Set it in the environment that Piton is started in, and name it only in `secrets`.',
      })),
  ];
}

function checkInherited(inherited: Environment['inheritEnv'], at: Path): Finding[] {
  if (inherited === undefined || inherited === true) return [];
  return inherited.flatMap((name, index) => {
    if (/^[A-Za-z_]\w*\*?$/.test(name)) return [];
    const message = `\`${name}\` is neither the name of a variable nor the beginning of names.`;
    const remedy =
      'Write `GITHUB_TOKEN`, or `AWS_*` for all that begin so; `inherit-env: true` for all there are.';
    const inCode = { remedy: remedy.replace('inherit-env', 'inheritEnv') };
    return [{ at: [...at, index], message, remedy, inCode }];
  });
}

function checkVariable(name: string, at: Path): Finding[] {
  if (!variable.test(name)) {
    const remedy = 'Use letters, digits and `_`; it does not begin with a digit.';
    return [{ at, onKey: true, message: `\`${name}\` cannot be the name of a variable.`, remedy }];
  }
  if (!name.startsWith('PITON_') || /^PITON_VALUE_\d+$/.test(name)) return [];
  const message = `\`${name}\` cannot be set: names that begin with \`PITON_\` are Piton's own.`;
  return [{ at, onKey: true, message, remedy: 'Choose another.' }];
}
