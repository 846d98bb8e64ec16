import { type AddressInfo, connect, createServer } from 'node:net';

/**
 * A port on loopback whose bytes go to the gateway's socket and back: the client knows no other kind of address.
 * The first thing the gateway wants to see is the token, so the port alone opens nothing.
 */
export async function openForwarder(socket: string): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((near) => {
    const far = connect(socket);
    near.pipe(far);
    far.pipe(near);
    // Each end's trouble ends the other one, so that the client hears of a cut as one.
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}
