/**
 * Loads what a driver may come to need. While it lives, for hours, the package may be updated; a task for which something
 * had to be loaded then would fail.
 */
export async function loadForDriving(): Promise<void> {
  const assembled = await import('../assemble.ts');
  await assembled.loadForDriving();
}
