// A chain of steps with a retry. Kill it with -9 at any moment and start it again: it goes on where it was.
import { open, workflow } from 'piton';

const order = workflow<{ customer: string }>('order')
  .task('reserve', ({ inputs, key }) => ({ for: inputs.customer, reservation: key.length > 0 }))
  .task(
    'charge',
    { needs: ['reserve'], retry: { attempts: 3, backoff: '10ms' }, timeout: '30s' },
    async (context) => {
      if (context.attempt === 1) throw new Error('the bank is busy');
      return { paid: true, by: context.needs.reserve.for };
    },
  )
  .task('pack', { needs: ['reserve'] }, () => 'packed')
  .task(
    'send',
    { needs: ['charge', 'pack'] },
    ({ needs }) => `${needs.pack}, paid by ${needs.charge.by}, sent`,
  );

await using piton = await open({ store: 'sqlite:./state.db' });
const run = await piton.start(order, { id: 'order-42', inputs: { customer: 'ada' } });
for await (const event of run.events()) {
  if (event.type.startsWith('task.')) console.log(event.type, 'task' in event ? event.task : '');
}
const result = await run.result();
console.log(result.status, result.outputs.send);
