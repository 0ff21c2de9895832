import { readCheckpointName, type Piton } from '../../../library/index.ts';

/** `<run>`, of which the beginning is enough, or `<run>@<where>`. Throws `RUN_NOT_FOUND`, `CHECKPOINT_NOT_FOUND`. */
export async function findCheckpoint(
  piton: Piton,
  given: string | undefined,
): Promise<{ readonly run: string; readonly seq: number; readonly isLast: boolean }> {
  const { run: prefix, at } = readCheckpointName(given ?? '');
  const { run } = await piton.findRecord(prefix === '' ? undefined : prefix);
  const { seq } = await (await piton.find(run)).checkpoint(at);
  return { run, seq, isLast: at === undefined };
}
