import type { Json, JsonObject } from '../../base/index.ts';
import { at, listOf, objectOf, textAt } from '../json-fields.ts';
import { FailedConversation } from './failed-conversation.ts';
import type { Order } from './order.ts';
import { say } from './voice.ts';

/** Something that can be chosen in a session, and how. */
interface Setting {
  readonly current: string | undefined;
  readonly offered: readonly string[];
  request(value: string): { readonly method: string; readonly params: JsonObject };
}

export type Call = (method: string, params: JsonObject) => Promise<Json>;

/** A model that cannot be had is a failure; an effort is a wish. */
export async function applySettings(order: Order, opened: JsonObject, call: Call): Promise<void> {
  if (order.model !== undefined) {
    const problem = await choose(order.model, modelSetting(opened), call);
    if (problem !== undefined)
      throw new FailedConversation('model-unknown', `The model "${order.model}" ${problem}`);
  }
  if (order.effort !== undefined) {
    const problem = await choose(order.effort, optionOf('thought_level', opened), call);
    if (problem !== undefined) say({ event: 'notice', text: `The effort "${order.effort}" ${problem}` });
  }
}

export function currentModel(opened: JsonObject): string | undefined {
  return modelSetting(opened)?.current;
}

/** What was in the way, if anything. */
async function choose(value: string, setting: Setting | undefined, call: Call): Promise<string | undefined> {
  if (setting === undefined) return 'cannot be chosen: this agent offers no choice over the protocol.';
  if (!setting.offered.includes(value)) return `is not offered. There are: ${setting.offered.join(', ')}.`;
  if (setting.current === value) return undefined;
  const { method, params } = setting.request(value);
  await call(method, params);
  return undefined;
}

function modelSetting(opened: JsonObject): Setting | undefined {
  const models = objectOf(opened['models']);
  const option = optionOf('model', opened);
  if (option !== undefined || models === undefined) return option;
  return {
    current: textAt(models, 'currentModelId'),
    offered: listOf(models['availableModels']).flatMap((model) => textAt(model, 'modelId') ?? []),
    request: (modelId) => ({ method: 'session/set_model', params: { modelId } }),
  };
}

function optionOf(category: string, opened: JsonObject): Setting | undefined {
  const option = listOf(opened['configOptions']).find(
    (one) => textAt(one, 'category') === category && textAt(one, 'type') === 'select',
  );
  const configId = textAt(option, 'id');
  if (configId === undefined) return undefined;
  return {
    current: textAt(option, 'currentValue'),
    offered: valuesIn(at(option, 'options')),
    request: (value) => ({ method: 'session/set_config_option', params: { configId, value } }),
  };
}

/** Values, or groups of them. */
function valuesIn(options: Json | undefined): readonly string[] {
  return listOf(options).flatMap((one) => textAt(one, 'value') ?? valuesIn(at(one, 'options')));
}
