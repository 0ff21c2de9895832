import { asError } from '../base/index.ts';
import type { Filling, Place, PlaceRequest, Prepared } from './contract.ts';

/** The place with what it needs. One that could not be filled is there all the same, and has to be known. */
export async function filled(
  filling: Filling,
  request: PlaceRequest,
  place: Place,
): Promise<Pick<Prepared, 'place' | 'unfilled'>> {
  try {
    const ports = await filling.fill(request, place.path);
    return { place: Object.freeze({ ...place, ...(ports !== undefined && { ports }) }) };
  } catch (thrown) {
    return { place: Object.freeze(place), unfilled: asError(thrown) };
  }
}
