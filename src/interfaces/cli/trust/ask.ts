import type { TrustStanding } from '../../../project/index.ts';
import { canAsk, confirm, type Prompting } from '../prompt.ts';
import { showStanding } from './show.ts';

/** False too where nobody is there. */
export async function askForTrust(prompting: Prompting, standing: TrustStanding): Promise<boolean> {
  if (!canAsk(prompting)) return false;
  showStanding(prompting.output, standing);
  return confirm(prompting, 'Trust it?');
}
