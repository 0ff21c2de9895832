import type { JsonObject } from '../../base/index.ts';
import type { UsageEvent } from '../contract.ts';
import { countAt, numberAt, objectOf } from '../json-fields.ts';

/**
 * What is new, where it is told. Else that of the whole session, as far as its processes came to an end; the tokens beside
 * it, in `usage`, are of this process alone and leave out sub-agents. A process that could not even begin tells zeros,
 * which say nothing.
 */
export function usageOfResult(event: JsonObject): readonly UsageEvent[] {
  const news = objectOf(event['model_usage_since_last_result']);
  return news === undefined ? usageOfSession(event) : usageOfNews(news);
}

/** Whether the session's count has what an interrupted process used depends on how that was ended; this does not. */
function usageOfNews(models: JsonObject): readonly UsageEvent[] {
  const usage = usageOfModels(models);
  if (usage === undefined) return [];
  const prices = Object.values(models).map((model) => numberAt(model, 'costUSD') ?? 0);
  return [{ ...usage, costUsd: prices.reduce((sum, price) => sum + price, 0) }];
}

function usageOfSession(event: JsonObject): readonly UsageEvent[] {
  const costUsd = numberAt(event, 'total_cost_usd');
  const usage = usageOfModels(objectOf(event['modelUsage']));
  if (usage === undefined) return [];
  return [{ ...usage, ...(costUsd !== undefined && { costUsd }), isCumulative: true }];
}

/** Until the result says it, and of a process that died before: what its messages told. */
export function usageOfMessages(messages: ReadonlyMap<string, UsageEvent>): readonly UsageEvent[] {
  const sum = total([...messages.values()]);
  return sum.input + sum.output === 0 ? [] : [{ ...sum, isSoFar: true }];
}

export function isSameUsage(one: UsageEvent, other: UsageEvent | undefined): boolean {
  return other !== undefined && one.input === other.input && one.output === other.output;
}

export function sumUsage(usage: JsonObject | undefined): UsageEvent | undefined {
  if (usage === undefined) return undefined;
  const cachedInput = countAt(usage, 'cache_read_input_tokens');
  const input = countAt(usage, 'input_tokens') + countAt(usage, 'cache_creation_input_tokens') + cachedInput;
  return { type: 'usage', input, output: countAt(usage, 'output_tokens'), cachedInput, isCumulative: false };
}

/** Sub-agents and small helper models are counted here only. */
function usageOfModels(models: JsonObject | undefined): UsageEvent | undefined {
  const each = Object.values(models ?? {}).map((model): UsageEvent => {
    const cachedInput = countAt(model, 'cacheReadInputTokens');
    const input = countAt(model, 'inputTokens') + countAt(model, 'cacheCreationInputTokens') + cachedInput;
    return { type: 'usage', input, output: countAt(model, 'outputTokens'), cachedInput, isCumulative: false };
  });
  return each.length === 0 ? undefined : total(each);
}

function total(each: readonly UsageEvent[]): UsageEvent {
  const add = (read: (usage: UsageEvent) => number): number =>
    each.reduce((sum, usage) => sum + read(usage), 0);
  return {
    type: 'usage',
    input: add((usage) => usage.input),
    output: add((usage) => usage.output),
    cachedInput: add((usage) => usage.cachedInput ?? 0),
    isCumulative: false,
  };
}
