import { bytesText, type BackupFile, type StoreInfo } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanLine, whenText } from '../output/index.ts';

/** `piton store info`. */
export async function showInfo(context: Context): Promise<ExitCode> {
  const { output } = context;
  const info = await (await context.openExisting()).storeInfo();
  const backups = await context.project.backups();
  output.json({ ...info, backups });
  output.table(linesOf(info, context.now()));
  printBackups(context, backups);
  output.next('piton verify');
  return exitCodes.done;
}

function printBackups({ output, now }: Context, backups: readonly BackupFile[]): void {
  if (backups.length === 0) return output.print('There are no backups: piton store backup makes one.');
  output.print('Backups:');
  const rows = backups.map(({ file, at, bytes, format }) => [
    `  ${cleanLine(file)}`,
    whenText(at, now()),
    bytesText(bytes),
    format === undefined ? '' : `of format ${format}, before it was changed`,
  ]);
  output.table(rows);
}

function linesOf(info: StoreInfo, now: number): [string, string][] {
  const { url, file, durability, format, commits, blobs, snapshots, quarantined, oldestAt, newestAt } = info;
  return [
    ['store', cleanLine(file ?? url)],
    ...(format === undefined ? [] : [['format', String(format)] satisfies [string, string]]),
    ['durability', durability],
    ...sizesOf(info),
    ['runs', runsText(info)],
    ...(oldestAt === undefined ? [] : [['oldest run', whenText(oldestAt, now)] satisfies [string, string]]),
    ...(newestAt === undefined ? [] : [['last commit', whenText(newestAt, now)] satisfies [string, string]]),
    ['commits', String(commits)],
    ['blobs', String(blobs)],
    ['snapshots', String(snapshots)],
    ['quarantined', quarantined === 0 ? 'nothing' : `${quarantined} commits, moved aside by repairs`],
  ];
}

function sizesOf({ bytes, logBytes, freeBytes }: StoreInfo): [string, string][] {
  if (bytes === undefined) return [];
  const free = freeBytes === undefined ? '' : `, of which ${bytesText(freeBytes)} are free`;
  return [
    ['size', `${bytesText(bytes)}${free}`],
    ...(logBytes === undefined ? [] : [['log', bytesText(logBytes)] satisfies [string, string]]),
  ];
}

function runsText({ runs }: StoreInfo): string {
  const counts = Object.entries(runs).map(([status, count]) => `${count} ${status}`);
  return counts.length === 0 ? 'none' : counts.join(', ');
}
