/** Loaded when a run is carried away or brought in: few ever do that. */
import type { exportRun as exporting } from './carrying/export-run.ts';
import type { importRun as importing } from './carrying/import-run.ts';

export async function exportRun(...given: Parameters<typeof exporting>): ReturnType<typeof exporting> {
  return (await import('./carrying/export-run.ts')).exportRun(...given);
}

export async function importRun(...given: Parameters<typeof importing>): ReturnType<typeof importing> {
  return (await import('./carrying/import-run.ts')).importRun(...given);
}
