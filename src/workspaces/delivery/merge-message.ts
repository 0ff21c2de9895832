import { proseOf } from '../../base/index.ts';
import { sectionsOf, titleOf } from '../account-text.ts';
import type { RunAccount } from '../delivery-contract.ts';
import { deliveredTrailer, oneLine } from '../git/index.ts';
import { cutLine } from '../work-text.ts';

/** `tip`: the commit of the run's branch that is brought in. */
export function mergeMessage(
  account: RunAccount,
  { tip, isSquash }: { readonly tip: string; readonly isSquash: boolean },
): string {
  const title = titleOf(account);
  const trailers = [`Piton-Run: ${account.run}`, `${deliveredTrailer}: ${tip}`];
  const paragraphs = [
    isSquash ? title : cutLine(`Merge ${title}`),
    sectionsOf(account, proseOf).join('\n\n'),
    trailers.map(oneLine).join('\n'),
  ];
  return `${paragraphs.filter((text) => text !== '').join('\n\n')}\n`;
}
