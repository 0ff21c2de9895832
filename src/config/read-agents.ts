import { knownAgents, traitsOf } from '../model/index.ts';
import { toolClasses, type AgentSettings } from './config.ts';
import { entriesOf, invalid, readEach, unknownKey, wordIn, type Setting } from './config-source.ts';

/** `agents`: what is to be otherwise about them in this project, by their names. */
export function readAgents(setting: Setting): Readonly<Record<string, AgentSettings>> {
  return Object.fromEntries(
    readEach(entriesOf(setting), ([name, entry]) => [name, readAgent(name, entry)] as const),
  );
}

const keys = ['executable', 'tools'];

function readAgent(name: string, setting: Setting): AgentSettings {
  const traits = traitsOf(name);
  if (traits === undefined) throw unknownKey(setting, 'agent', knownAgents());
  const read = readEach(entriesOf(setting), ([key, entry]): AgentSettings => {
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
  if (typeof value !== 'string' || value.trim() === '' || value.includes('\0'))
    throw invalid(setting, 'must be the name or the path of a program');
  // Every repository that one looks at could bring a program of that path.
  if (setting.isOfUser === true && value.includes('/') && !/^~?\//.test(value))
    throw invalid(setting, 'must be a name, or a whole path: this file holds in every project');
  return value;
}

function readTools(setting: Setting): NonNullable<AgentSettings['tools']> {
  return Object.fromEntries(
    readEach(entriesOf(setting), ([tool, entry]) => [tool, wordIn(entry, toolClasses)] as const),
  );
}
