/** How many random cases each property is tried on. More may be asked for, to search instead of to check. */
export const propertyRuns = Number(process.env['PITON_PROPERTY_RUNS'] ?? 500);
