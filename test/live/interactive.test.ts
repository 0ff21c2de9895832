/** A session in a person's hands: the command line of `interactive` opens it, and it can be gone on in afterwards. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import { testedClis, type AgentCliName } from '../support/agent-clis.ts';
import { agentHome, type AgentHome } from '../support/agent-home.ts';
import { agentTurn } from '../support/agent-turn.ts';
import { eventually } from '../support/eventually.ts';
import { startModelServer } from '../support/model-server/index.ts';
import { hasTerminals, openScreen } from '../support/screen.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What it asks of everybody who starts it for the first time, answered. */
function isNoStranger({ cli, home, project }: AgentHome): void {
  if (cli !== 'claude') return;
  const answers = {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: ['none'], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true } },
  };
  mkdirSync(join(home, 'claude'), { recursive: true });
  writeFileSync(join(home, 'claude', '.claude.json'), JSON.stringify(answers));
}

/** Codex recommends a newer model first. */
const dialogs: Partial<Readonly<Record<AgentCliName, readonly [RegExp, string]>>> = {
  codex: [/Use existing model/, '2'],
};

describe.runIf(hasTerminals())('a session in a person’s hands', () => {
  test.each(testedClis())('of $name shows what was said, and is free again afterwards', async ({ name }) => {
    const server = await startModelServer();
    onTestFinished(() => server.close());
    const home = agentHome(name, { root: temporaryFolder(), model: server.url });
    isNoStranger(home);
    const first = await agentTurn(home, {
      prompt: 'Greet. [[say:KIWI greets you]]',
      session: { type: 'new', id: randomUUID() },
    });
    const { id } = first.find((event) => event.type === 'session')!;

    const argv = [home.executable, ...agentNamed(name).interactive(id).slice(1)];
    const screen = openScreen({ argv, directory: home.project, env: home.env });
    const [dialog, key] = dialogs[name] ?? [];
    await eventually(
      `${name} shows the conversation`,
      () => {
        if (dialog?.test(screen.text()) === true) screen.press(key!, 'Enter');
        return /^\W*KIWI greets you/m.test(screen.text());
      },
      60_000,
    );
    await screen.end();

    const again = await agentTurn(home, {
      prompt: 'Go on. [[say:back again]]',
      session: { type: 'continue', id },
    });
    expect(again.at(-1)).toMatchObject({ type: 'result', text: 'back again' });
    expect(JSON.stringify(server.log().findLast(({ side }) => side === undefined)!.said)).toContain('KIWI');
  });
});
