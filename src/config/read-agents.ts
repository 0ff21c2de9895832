import { knownAgents, traitsOf } from '../model/index.ts';
import { toolClasses, type AgentSettings } from './config.ts';
import { entriesOf, invalid, unknownKey, wordIn, type Setting } from './config-source.ts';

/** `agents`: what is to be otherwise about them in this project, by their names. */
export function readAgents(setting: Setting): Readonly<Record<string, AgentSettings>> {
  return Object.fromEntries(entriesOf(setting).map(([name, entry]) => [name, readAgent(name, entry)]));
}

const keys = ['executable', 'tools'];

function readAgent(name: string, setting: Setting): AgentSettings {
  const traits = traitsOf(name);
  if (traits === undefined) throw unknownKey(setting, 'agent', knownAgents());
  const read = entriesOf(setting).map(([key, entry]): AgentSettings => {
    if (key === 'executable') return { executable: readExecutable(name, entry) };
    if (key === 'tools') return { tools: readTools(entry) };
    throw unknownKey(entry, 'setting of an agent', keys);
  });
  return Object.assign({}, ...read) as AgentSettings;
}

function readExecutable(agent: string, setting: Setting): string {
  if (traitsOf(agent)?.isAnyProgram === true) {
    const remedy = `Each task names the program of ${agent} in its \`args\`.`;
    throw invalid(setting, 'is no setting', remedy);
  }
  const { value } = setting;
  if (typeof value === 'string' && value.trim() !== '' && !value.includes('\0')) return value;
  throw invalid(setting, 'must be the name or the path of a program');
}

function readTools(setting: Setting): NonNullable<AgentSettings['tools']> {
  return Object.fromEntries(entriesOf(setting).map(([tool, entry]) => [tool, wordIn(entry, toolClasses)]));
}
