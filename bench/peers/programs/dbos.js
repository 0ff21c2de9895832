/** Runs loads with DBOS on Postgres. Copied into the folder where it is installed. */
import { DBOS } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import { answerRequests, noteOf, timed } from './protocol.js';

const [databaseUrl, adminUrl] = process.argv.slice(2);

const step = (name, act) => DBOS.runStep(async () => act(), { name });

const bodies = {
  async chain({ steps }) {
    let count = 0;
    while (count < steps) count = await step('step', () => count + 1);
    return count;
  },
  async growing({ steps, bytes }) {
    const notes = [];
    while (notes.length < steps) notes.push(await step('note', () => noteOf(notes.length, bytes)));
    return notes.length;
  },
  async 'fan-out'({ width }) {
    const first = await step('first', () => 1);
    const all = Array.from({ length: width }, (_, index) => step(`w${index}`, () => first + index));
    const results = await Promise.all(all);
    return step('last', () => results.length);
  },
  async dag({ tasks, width }) {
    for (let start = 0; start < tasks; start += width) {
      const layer = Array.from({ length: Math.min(width, tasks - start) }, (_, place) => start + place);
      await Promise.all(layer.map((index) => step(`t${index}`, () => index)));
    }
  },
};

DBOS.setConfig({ name: 'peer', systemDatabaseUrl: databaseUrl, logLevel: 'error', runAdminServer: false });
const workflows = Object.fromEntries(
  Object.entries(bodies).map(([name, body]) => [name, DBOS.registerWorkflow(body, { name })]),
);
await DBOS.launch();

const admin = new pg.Client(adminUrl);
await admin.connect();

async function storedBytes() {
  const { rows } = await admin.query('SELECT pg_database_size($1) AS bytes', [
    new URL(databaseUrl).pathname.slice(1),
  ]);
  return Number(rows[0].bytes);
}

/** Without fsync the log is still written at each commit: what is lost with the power, but with no process. */
async function setDurability(durability) {
  await admin.query(`ALTER SYSTEM SET fsync = ${durability === 'full' ? 'on' : 'off'}`);
  await admin.query('SELECT pg_reload_conf()');
  await admin.query('CHECKPOINT');
}

await answerRequests(async (request) => {
  await setDurability(request.durability);
  const before = await storedBytes();
  const runOnce = async () => (await DBOS.startWorkflow(workflows[request.load])(request)).getResult();
  const ms = await timed(request, runOnce);
  return { ms, bytes: (await storedBytes()) - before };
});
await admin.end();
await DBOS.shutdown();
