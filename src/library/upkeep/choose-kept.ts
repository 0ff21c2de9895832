import { formatDuration } from '../../base/index.ts';
import type { Kept } from './kept-places.ts';
import type { WorkspacePorts } from './recorded-places.ts';
import type { Step } from './workspace-actions.ts';

export interface KeptLimits {
  readonly now: number;
  readonly olderThanMs: number | undefined;
  readonly quotaBytes: number | undefined;
  readonly force: boolean;
}

/** What of it is to go, and why: by age first; then the oldest, until the rest is within the quota. */
export async function chooseKept(
  look: WorkspacePorts,
  kept: readonly Kept[],
  limits: KeptLimits,
): Promise<{ readonly kept: Kept; readonly step: Step }[]> {
  const sorted = [...kept].sort((one, other) => one.at - other.at);
  const chosen = sorted.flatMap((each) => {
    const reason = reasonByAge(each, limits);
    return reason === undefined ? [] : [{ kept: each, step: each.step(reason) }];
  });
  const gone = new Set(chosen.map((each) => each.kept));
  const rest = sorted.filter((each) => !gone.has(each));
  const { quotaBytes } = limits;
  return quotaBytes === undefined ? chosen : [...chosen, ...(await overQuota(look, rest, quotaBytes))];
}

function reasonByAge({ kind, at, since }: Kept, { now, olderThanMs, force }: KeptLimits): string | undefined {
  const age = now - at;
  if (olderThanMs !== undefined && age >= olderThanMs)
    return `${since} ${ageText(age)} ago (the limit is ${ageText(olderThanMs)})`;
  if (kind === 'archive') return force ? 'all archives are to go' : undefined;
  return olderThanMs === undefined ? since : undefined;
}

async function overQuota(
  { ports }: WorkspacePorts,
  rest: readonly Kept[],
  quotaBytes: number,
): Promise<{ kept: Kept; step: Step }[]> {
  const measured: { readonly kept: Kept; readonly bytes: number }[] = [];
  for (const kept of rest)
    if (!kept.isRemote)
      measured.push({ kept, bytes: await ports.upkeep.bytesOf(kept.repository, kept.name) });
  let total = measured.reduce((sum, { bytes }) => sum + bytes, 0);
  const chosen: { kept: Kept; step: Step }[] = [];
  for (const { kept, bytes } of measured) {
    if (total <= quotaBytes) break;
    const reason = `what is kept takes ${bytesText(total)}, and may take ${bytesText(quotaBytes)}; this is the oldest`;
    chosen.push({ kept, step: kept.step(reason) });
    total -= bytes;
  }
  return chosen;
}

const dayMs = 86_400_000;

function ageText(ms: number): string {
  return ms < dayMs ? formatDuration(ms) : `${Math.floor(ms / dayMs)}d`;
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** As people write quotas: by thousands. */
export function bytesText(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  const amount = bytes / 1_000 ** power;
  return `${power > 0 && amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[power]}`;
}
