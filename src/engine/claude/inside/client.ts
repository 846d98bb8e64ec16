import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { askGateway } from './ask-gateway.ts';
import { openForwarder } from './forwarder.ts';
import type { RunFile } from './run-file.ts';
import { SessionFiles } from './session-file.ts';
import { type PostSession, SessionTail } from './session-tail.ts';

/** As shells say it of a program that a signal has ended: this and the signal's number. */
const SIGNALLED = 128;
const NOT_STARTED = 127;
/** The runner may be gone: then nobody waits for the last lines. */
const POST_MS = 10_000;
/** What the gateway says to a session that is not its run's. */
const FOREIGN = 409;

/** Runs the client to its end, with our stdio as its own. Resolves with the exit code. */
export async function runClient(run: RunFile, env: NodeJS.ProcessEnv): Promise<number> {
  const files = new SessionFiles(run.configFolder);
  const offset = run.restore === null ? 0 : files.restore(run.session, run.restore, run.cwd);
  const post: PostSession = async (bytes, at, session) => {
    const path = `/session?offset=${at}&session=${encodeURIComponent(session)}`;
    const { status } = await askGateway(run, path, bytes, POST_MS);
    if (status === FOREIGN) return 'foreign';
    return status >= 200 && status < 300 ? 'taken' : 'failed';
  };
  const tail = new SessionTail(files, post, { session: run.session, offset });
  const forwarder = await openForwarder(run.socket);
  tail.start();
  const exitCode = await startClient(run, clientEnv(run, env, forwarder.port));
  await tail.finish();
  forwarder.close();
  return exitCode;
}

function clientEnv(run: RunFile, env: NodeJS.ProcessEnv, port: number): NodeJS.ProcessEnv {
  const noProxy = [env.NO_PROXY ?? env.no_proxy, '127.0.0.1', 'localhost'].filter(Boolean).join(',');
  return {
    ...env,
    // The node that we are is there, wherever it is: a client that is a script of node's needs one.
    PATH: [run.programs, env.PATH, dirname(process.execPath)].filter(Boolean).join(delimiter),
    NO_PROXY: noProxy,
    no_proxy: noProxy,
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    CC_DELEGATE_GATEWAY: run.socket,
    CC_DELEGATE_TOKEN: run.token,
  };
}

function startClient({ client: [program, ...args], cwd }: RunFile, env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, stdio: 'inherit' });
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal));
    }
    child.once('error', (error) => {
      process.stderr.write(`the client cannot be started: ${error.message}\n`);
      resolve(NOT_STARTED);
    });
    child.once('exit', (code, signal) => resolve(code ?? SIGNALLED + constants.signals[signal ?? 'SIGTERM']));
  });
}
