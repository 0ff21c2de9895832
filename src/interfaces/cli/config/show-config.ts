import { showConfig } from '../../../project/index.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanLine } from '../output/index.ts';

export async function showSettings({ project, output }: Context): Promise<ExitCode> {
  const shown = await showConfig(project);
  const { files, isTrusted, settings } = shown;
  output.json(shown);
  output.table(
    settings.map(({ key, value, from, place, isUsed }) => [
      cleanLine(key),
      cleanLine(textOf(value)),
      cleanLine(place ?? from),
      isUsed ? '' : output.style.yellow('not used'),
    ]),
  );
  if (!isTrusted && settings.some(({ isUsed }) => !isUsed))
    output.note(
      'What is not used would execute or grant something, and the project is not trusted: piton trust.',
    );
  output.print();
  output.print(`Yours: ${cleanLine(files.user)}`);
  output.print(`Of the project: ${cleanLine(files.project)}`);
  output.next('piton config validate');
  return exitCodes.done;
}

/** As it would stand in a file. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
