import { plural } from '../../../base/index.ts';
import { checkConfig, migrateConfig } from '../../../project/index.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanLine, cleanText } from '../output/index.ts';

export async function validateConfig({ project, output }: Context, named?: string): Promise<ExitCode> {
  const checked = await checkConfig(project, named);
  output.json(checked);
  const { style } = output;
  for (const { file, isThere, problems } of checked.files) {
    const mark = problems.length === 0 ? style.green('✓') : style.red('✗');
    const remark = isThere ? '' : style.dim('  (is not there)');
    output.print(`${mark} ${cleanLine(file)}${remark}`);
    for (const { message } of problems) output.print(`    ${indented(message)}`);
  }
  for (const { message } of checked.environment) output.print(`${style.red('✗')} ${indented(message)}`);
  const count = [...checked.files.flatMap(({ problems }) => problems), ...checked.environment].length;
  output.next(
    count === 0 ? 'piton config show' : `mend ${plural(count, 'problem')}, then piton config validate`,
  );
  return checked.ok ? exitCodes.done : exitCodes.usage;
}

function indented(message: string): string {
  return cleanText(message).replaceAll('\n', '\n    ');
}

export async function migrateFiles({ project, output }: Context, named?: string): Promise<ExitCode> {
  const migrated = await migrateConfig(project, named);
  output.json(migrated);
  if (migrated.length === 0) output.print('There is no configuration file.');
  for (const { file, version, copy } of migrated)
    output.print(
      copy === undefined
        ? `${cleanLine(file)} is of version ${version} already, the newest.`
        : `${cleanLine(file)} is of version ${version} now. As it was: ${cleanLine(copy)}`,
    );
  output.next('piton config show');
  return exitCodes.done;
}
