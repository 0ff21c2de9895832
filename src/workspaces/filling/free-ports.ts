import { createServer } from 'node:net';
import { hasCode } from '../../base/index.ts';

/** Whether nobody listens there, neither on the old nor on the new loopback address. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port, '::1'));
}

function canListen(port: number, host: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', (error) => resolve(isNoSuchAddress(error)));
  server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  return promise;
}

/** A machine without that address has nobody listening on it. */
function isNoSuchAddress(error: Error): boolean {
  return hasCode(error, 'EADDRNOTAVAIL') || hasCode(error, 'EAFNOSUPPORT');
}
