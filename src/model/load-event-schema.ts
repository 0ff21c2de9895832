/** The schema of all events. Loaded only when a journal is read: importing the library does not pay for it. */
export async function loadEventSchema(): Promise<typeof import('./event-schemas.ts').eventSchema> {
  return (await import('./event-schemas.ts')).eventSchema;
}
